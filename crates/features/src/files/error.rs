//! The error of everything that reads files: which file, which line, and what is wrong.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file or folder that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system reported an error.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file was read, but its content is invalid.
    #[error("{}: {reason}", .path.display())]
    Content {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong, with the position in the file if it has one.
        reason: String,
    },
    /// A line is invalid.
    #[error("{}:{line}: {reason}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
}

impl FileError {
    /// For `map_err` after an I/O call.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        |source| FileError::Io { path, source }
    }

    pub(crate) fn content(path: &Path, reason: impl Into<String>) -> Self {
        let (path, reason) = (path.to_path_buf(), reason.into());
        FileError::Content { path, reason }
    }

    #[cfg(feature = "formats")]
    pub(crate) fn line(path: &Path, line: u64, reason: impl Into<String>) -> Self {
        let (path, reason) = (path.to_path_buf(), reason.into());
        FileError::Line { path, line, reason }
    }
}
