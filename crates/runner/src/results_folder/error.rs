//! Errors of the results folder.

use std::io;
use std::path::PathBuf;

use padwise_report::record::ReadError;
use thiserror::Error;

/// Why a results folder cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A file or folder cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {problem}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// `epochs.csv` cannot be read.
    #[error(transparent)]
    Epochs(#[from] ReadError),
    /// Another process uses the folder.
    #[error(
        "{} is in use by another run: wait until it ends, or pass another folder with --out", .path.display()
    )]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The folder contains a run, and `--resume` was not passed.
    #[error(
        "{} already contains a run: resume it with --resume, or pass another folder with --out", .path.display()
    )]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// The folder contains no run to resume.
    #[error("{} contains no run to resume: start it without --resume", .path.display())]
    NothingToResume {
        /// The folder.
        path: PathBuf,
    },
    /// The folder contains the results of another config.
    #[error(
        "{} was recorded with another config (recorded `{recorded}`, given `{given}`): use that config, or pass another folder with --out", .path.display()
    )]
    OtherConfig {
        /// The folder.
        path: PathBuf,
        /// The first differing line of the recorded config.
        recorded: String,
        /// The same line of the given config.
        given: String,
    },
}

impl RecordError {
    /// Whether this is a usage error rather than a failure at run time.
    pub fn is_usage(&self) -> bool {
        !matches!(
            self,
            RecordError::Write { .. } | RecordError::Read { .. } | RecordError::Epochs(_)
        )
    }
}
