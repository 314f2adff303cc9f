//! What can be wrong with plain arrays.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Plain arrays that make no corpus.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RawError {
    /// The system refused, or the archive is damaged.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the folder is not there, or does not fit the others.
    #[error("{}: {file}: {reason}", .path.display())]
    File {
        /// The folder or archive.
        path: PathBuf,
        /// The file in it.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A line that cannot be used.
    #[error("{}: {file}:{line}: {reason}", .path.display())]
    Line {
        /// The folder or archive.
        path: PathBuf,
        /// The file in it.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

impl RawError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> RawError {
        let path = path.to_path_buf();
        |source| RawError::Io { path, source }
    }
}
