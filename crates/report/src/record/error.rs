//! Why a record cannot be read.

use std::path::PathBuf;

use thiserror::Error;

/// A record that cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is no record.
    #[error(
        "{} holds no record of a run: name a folder that `padwise run` wrote, with config.toml and epochs.csv in it", .folder.display()
    )]
    NoRecord {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be read at all.
    #[error("cannot read {}: {problem}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A line of a file is not what a run writes there.
    #[error("{}:{line}: {problem}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
}
