//! What can be wrong with an array file.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::labels::Mismatches;

/// An array file that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The system refused.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Not an array, or not one of the kind wanted.
    #[error("{}: {reason}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A number that is none.
    #[error("{}: row {row}, column {column} is {value}: features must be finite 32-bit numbers", .path.display())]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// The frame, from 0.
        row: usize,
        /// The dimension, from 0.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A label that is none.
    #[error("{}: the label of frame {frame} is {value}: labels are whole numbers {range}", .path.display())]
    Label {
        /// The file.
        path: PathBuf,
        /// The frame, from 0.
        frame: usize,
        /// The value.
        value: i64,
        /// The labels there are.
        range: String,
    },
    /// Utterances with frames of different sizes.
    #[error("{}: frames of {found} numbers, and {} has frames of {expected}", .path.display(), .first.display())]
    Dims {
        /// The file.
        path: PathBuf,
        /// The numbers in its frames.
        found: usize,
        /// The file that set the size.
        first: PathBuf,
        /// The numbers in that one's frames.
        expected: usize,
    },
    /// Labels for another number of frames.
    #[error("{}: {mismatches}", .path.display())]
    Mismatch {
        /// The file with the labels of the first.
        path: PathBuf,
        /// Which utterances, and both lengths of each.
        mismatches: Mismatches,
    },
    /// No utterances.
    #[error("{}: no .npy file in this folder", .path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
}

impl NpyError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> NpyError {
        let path = path.to_path_buf();
        |source| NpyError::Io { path, source }
    }

    pub(super) fn malformed(path: &Path, reason: impl Into<String>) -> NpyError {
        NpyError::Malformed {
            path: path.to_path_buf(),
            reason: reason.into(),
        }
    }
}
