//! Errors of reading utterance lengths.

use std::io;

use padwise_sampler::excerpt::excerpt;
use thiserror::Error;

use crate::machine::demand::TooLarge;

/// Why lengths cannot be read: file, line and remedy.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LengthsError {
    /// Neither a file nor a profile.
    #[error(
        "no lengths: pass a FILE (CSV with a header, a manifest of JSON lines, one number per line, or a feature pack; - for standard input) or --profile ljspeech, chime4 or librispeech"
    )]
    NoSource,
    /// An option has an invalid value.
    #[error("{option} {}: {remedy}", excerpt(.value))]
    Option {
        /// The option.
        option: &'static str,
        /// Its value.
        value: String,
        /// The correct form.
        remedy: String,
    },
    /// A condition on rows has the wrong form.
    #[error(transparent)]
    Where(#[from] padwise_features::layouts::RowFilterError),
    /// The file cannot be read.
    #[error("cannot read {file}")]
    Read {
        /// The file.
        file: String,
        /// The cause.
        source: io::Error,
    },
    /// Not a regular file, or too large.
    #[error("{0}; to read from a pipe, pass - and redirect standard input")]
    Special(padwise_features::FileError),
    /// The request needs more memory than the machine has.
    #[error(transparent)]
    Demand(#[from] TooLarge),
    /// The file contains no lengths.
    #[error("{file}{problem}")]
    File {
        /// The file.
        file: String,
        /// The problem and its remedy.
        problem: String,
    },
    /// A line is invalid.
    #[error("{file}:{line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// The line number, from 1.
        line: u64,
        /// The problem and its remedy.
        problem: String,
    },
    /// The pack cannot be opened.
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
