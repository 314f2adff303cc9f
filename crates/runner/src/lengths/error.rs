//! What can be wrong with a file of lengths.

use std::io;

use thiserror::Error;

/// Lengths that cannot be read, with the file, the line and the remedy.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LengthsError {
    /// Neither a file nor a profile.
    #[error(
        "no lengths given: name a FILE (CSV with a header, or one number a line; - for standard input) or --profile ljspeech, chime4 or librispeech"
    )]
    NoSource,
    /// An option that cannot be used.
    #[error("{option} {value}: {remedy}")]
    Option {
        /// The option.
        option: &'static str,
        /// Its value as given.
        value: String,
        /// What would be right.
        remedy: &'static str,
    },
    /// The file cannot be read.
    #[error("cannot read {file}")]
    Read {
        /// The file.
        file: String,
        /// Why not.
        source: io::Error,
    },
    /// The file as a whole has no lengths to give.
    #[error("{file}{problem}")]
    File {
        /// The file.
        file: String,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
    /// A line is at fault.
    #[error("{file}:{line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
    /// A pack that cannot be opened.
    #[error(transparent)]
    Pack(#[from] padwise_features::pack::PackError),
}

impl LengthsError {
    pub(super) fn file(file: impl Into<String>, problem: impl Into<String>) -> Self {
        LengthsError::File {
            file: file.into(),
            problem: problem.into(),
        }
    }

    pub(super) fn line(file: impl Into<String>, line: u64, problem: impl Into<String>) -> Self {
        LengthsError::Line {
            file: file.into(),
            line,
            problem: problem.into(),
        }
    }
}
