//! What can be wrong with Kaldi's files.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::labels::Mismatches;

/// A file of Kaldi's that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KaldiError {
    /// The system refused.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Bytes of an archive that make no object.
    #[error("{}: byte {offset}: {reason}", .path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// Where it went wrong.
        offset: u64,
        /// What is wrong there.
        reason: String,
    },
    /// A line of a table or script file that cannot be used.
    #[error("{}:{line}: {reason}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// An utterance that does not fit its corpus.
    #[error("{}: utterance {id}: {reason}", .path.display())]
    Utterance {
        /// The file that is at fault.
        path: PathBuf,
        /// The utterance.
        id: String,
        /// What is wrong.
        reason: String,
    },
    /// Labels for another number of frames.
    #[error("{}: {mismatches}", .path.display())]
    Mismatch {
        /// The file with the labels of the first.
        path: PathBuf,
        /// Which utterances, and both lengths of each.
        mismatches: Mismatches,
    },
}

impl KaldiError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> KaldiError {
        let path = path.to_path_buf();
        |source| KaldiError::Io { path, source }
    }
}
