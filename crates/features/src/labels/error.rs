//! What can be wrong with labels.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Labels that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabelError {
    /// The system refused.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line that cannot be read.
    #[error("{}:{line}: {reason}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u32,
        /// What is wrong with it.
        reason: String,
    },
    /// An interval that ends after the utterance does.
    #[error("{}:{line}: utterance {id} is labelled until {end:.3} s and its {frames} frames end at {limit:.3} s: are these labels of this audio?", .path.display())]
    PastTheEnd {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u32,
        /// The utterance.
        id: String,
        /// Where the interval ends, in seconds.
        end: f64,
        /// The frames of the utterance.
        frames: u32,
        /// Where the utterance ends, in seconds.
        limit: f64,
    },
    /// Two intervals that share some time.
    #[error("{}:{line}: in utterance {id}, this interval begins before the one of line {earlier} ends", .path.display())]
    Overlap {
        /// The file.
        path: PathBuf,
        /// The line of the later interval, from 1.
        line: u32,
        /// The line of the earlier interval.
        earlier: u32,
        /// The utterance.
        id: String,
    },
    /// A label that is no class.
    #[error("{}:{line}: label `{name}` is not one of the {classes} classes", .path.display())]
    UnknownClass {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u32,
        /// The label.
        name: String,
        /// How many classes there are.
        classes: usize,
    },
    /// An utterance that no line is about.
    #[error("{}: no labels for utterance {id}", .path.display())]
    Unlabelled {
        /// The file.
        path: PathBuf,
        /// The utterance.
        id: String,
    },
    /// A tier that is not there.
    #[error("{}: no interval tier `{tier}`; its tiers are {}", .path.display(), .tiers.join(", "))]
    NoTier {
        /// The file.
        path: PathBuf,
        /// The tier asked for.
        tier: String,
        /// The tiers there are.
        tiers: Vec<String>,
    },
    /// A set of classes that is none.
    #[error("{reason}")]
    Classes {
        /// What is wrong with it.
        reason: String,
    },
}

impl LabelError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> LabelError {
        let path = path.to_path_buf();
        |source| LabelError::Io { path, source }
    }

    pub(super) fn line(path: &Path, line: u32, reason: impl Into<String>) -> LabelError {
        LabelError::Line {
            path: path.to_path_buf(),
            line,
            reason: reason.into(),
        }
    }
}
