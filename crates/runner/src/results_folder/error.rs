//! Errors of the results folder.

use std::io;
use std::path::{Path, PathBuf};

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
    /// `epochs.csv` or another table cannot be read.
    #[error(transparent)]
    Table(#[from] ReadError),
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
    /// The folder has an `epochs.csv`, `words.csv` or `workers.csv` that no run in this folder wrote.
    #[error(
        "{} is not from a run in this folder, which has no config.toml: move it away, or pass another folder with --out", .path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A file of the folder changed since the experiment began.
    #[error("{}: {problem}; restore the file, or start a new run with --out", .path.display())]
    Identity {
        /// The file.
        path: PathBuf,
        /// What changed.
        problem: String,
    },
    /// The folder has epochs but no identity to compare the corpus with.
    #[error(
        "{} has epochs but no identity.json, so the corpus cannot be verified: restore the file, or start a new run with --out", .path.display()
    )]
    NoIdentity {
        /// The folder.
        path: PathBuf,
    },
    /// A corpus file is not the one that the experiment began with.
    #[error(
        "{} is not the corpus file that this experiment began with (found {found}; recorded {recorded}): restore that file, or start a new run with --out", .path.display()
    )]
    OtherCorpus {
        /// The corpus file.
        path: PathBuf,
        /// What was found.
        found: String,
        /// What was recorded.
        recorded: String,
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
    /// For `map_err` after a call that writes.
    pub(super) fn writing(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        |source| RecordError::Write { path, source }
    }

    /// Whether this is a usage error rather than a failure at run time.
    pub fn is_usage(&self) -> bool {
        !matches!(self, RecordError::Write { .. } | RecordError::Read { .. })
    }
}

/// For `map_err` after a call that reads.
pub(super) fn reading<E: ToString>(path: &Path) -> impl FnOnce(E) -> RecordError {
    let path = path.to_path_buf();
    move |error| RecordError::Read {
        path,
        problem: error.to_string(),
    }
}
