//! Why results cannot be kept.

use std::io;
use std::path::PathBuf;

use padwise_report::record::ReadError;
use thiserror::Error;

/// Why results cannot be kept in a folder.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The system refused.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that is there cannot be read.
    #[error("cannot read {}: {problem}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The epochs that are there cannot be read.
    #[error(transparent)]
    Epochs(#[from] ReadError),
    /// Another process is at work in the folder.
    #[error(
        "{} is in use by another run: wait for it, or give this one a folder of its own with --out", .path.display()
    )]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds results, and nobody asked to go on.
    #[error(
        "{} already holds a run: go on with it with --resume, give this one a folder of its own with --out, or remove it", .path.display()
    )]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// There is nothing to go on with.
    #[error("{} holds no run to resume: start it without --resume", .path.display())]
    NothingToResume {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds the results of another config.
    #[error(
        "{} was made with another config, and results are not mixed: there `{recorded}`, here `{given}`; use the same config, or another folder with --out", .path.display()
    )]
    OtherConfig {
        /// The folder.
        path: PathBuf,
        /// The first line that differs, as recorded.
        recorded: String,
        /// The same line now.
        given: String,
    },
}

impl RecordError {
    /// Whether the user asked for something that cannot be, rather than the machine failing.
    pub fn is_usage(&self) -> bool {
        !matches!(
            self,
            RecordError::Write { .. } | RecordError::Read { .. } | RecordError::Epochs(_)
        )
    }
}
