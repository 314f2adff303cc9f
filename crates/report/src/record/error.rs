//! Errors in reading a results folder.

use std::path::PathBuf;

use thiserror::Error;

/// Why a results folder cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The folder is not a results folder.
    #[error(
        "{} is not a results folder: pass a folder written by `padwise run`, with config.toml and epochs.csv", .folder.display()
    )]
    NoRecord {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {problem}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A line of a file is invalid.
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
