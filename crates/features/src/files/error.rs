//! The one error of all that read files: which file, where in it, and why.

use std::io;
#[cfg(feature = "formats")]
use std::path::Path;
use std::path::PathBuf;

use thiserror::Error;

/// A file or folder that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system refused.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It was read, and what it holds cannot be used.
    #[error("{}: {reason}", .path.display())]
    Content {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong, with the place where the file has places.
        reason: String,
    },
    /// A line that cannot be used.
    #[error("{}:{line}: {reason}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
}

#[cfg(feature = "formats")]
impl FileError {
    /// For `map_err` after a call that the system refused.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        |source| FileError::Io { path, source }
    }

    pub(crate) fn content(path: &Path, reason: impl Into<String>) -> Self {
        let (path, reason) = (path.to_path_buf(), reason.into());
        FileError::Content { path, reason }
    }

    pub(crate) fn line(path: &Path, line: u64, reason: impl Into<String>) -> Self {
        let (path, reason) = (path.to_path_buf(), reason.into());
        FileError::Line { path, line, reason }
    }
}
