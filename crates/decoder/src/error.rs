//! The error of everything that reads files: which file, which line, what is wrong and what to do.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that the decoder cannot use.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DecoderError {
    /// The operating system reported an error.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file was read, but its content is invalid.
    #[error("{}: {reason}", .path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A line is invalid.
    #[error("{}:{line}: {reason}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// What is wrong with it, and what to do.
        reason: String,
    },
}

impl DecoderError {
    /// For `map_err` after an I/O call.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        |source| DecoderError::Io { path, source }
    }

    pub(crate) fn content(path: &Path, reason: impl Into<String>) -> Self {
        let (path, reason) = (path.to_path_buf(), reason.into());
        DecoderError::Content { path, reason }
    }

    pub(crate) fn line(path: &Path, line: u64, reason: impl Into<String>) -> Self {
        let (path, reason) = (path.to_path_buf(), reason.into());
        DecoderError::Line { path, line, reason }
    }
}
