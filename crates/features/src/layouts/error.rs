//! What can be wrong with a corpus of audio files.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A corpus of audio files that cannot be listed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// The system refused.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
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
    /// An id that comes twice.
    #[error("{}:{line}: id {id} is that of {} already", .path.display(), earlier_place(.path, .earlier_path, *.earlier_line))]
    DuplicateId {
        /// The file.
        path: PathBuf,
        /// The later line.
        line: u64,
        /// The id.
        id: String,
        /// The file where it came first.
        earlier_path: PathBuf,
        /// The line where it came first.
        earlier_line: u64,
    },
    /// A file that is named but not there.
    #[error("{}:{line}: utterance {id}: no file {}", .path.display(), .missing.display())]
    MissingFile {
        /// The file that names it.
        path: PathBuf,
        /// The line that names it.
        line: u64,
        /// The utterance.
        id: String,
        /// The file that is not there.
        missing: PathBuf,
    },
    /// Nothing where a corpus should be.
    #[error("{}: {reason}", .path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
        /// What was looked for.
        reason: String,
    },
}

fn earlier_place(path: &Path, earlier: &Path, line: u64) -> String {
    if path == earlier {
        format!("line {line}")
    } else {
        format!("{}:{line}", earlier.display())
    }
}

impl LayoutError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> LayoutError {
        let path = path.to_path_buf();
        |source| LayoutError::Io { path, source }
    }

    pub(super) fn line(path: &Path, line: u64, reason: impl Into<String>) -> LayoutError {
        LayoutError::Line {
            path: path.to_path_buf(),
            line,
            reason: reason.into(),
        }
    }
}
