//! What can be wrong with a file of sound.

use thiserror::Error;

/// A file that cannot be turned into samples.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AudioError {
    /// The file cannot be opened or read.
    #[error("{file}: {source}")]
    Read {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Of no format that is read here, damaged, empty, or without the channel asked for.
    #[error("{file} {problem}")]
    Undecodable {
        /// The file.
        file: String,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// A header or a sample with a value that no recording has.
    #[error("{file}: {problem}")]
    Impossible {
        /// The file.
        file: String,
        /// Which value.
        problem: String,
    },
    /// A rate that cannot be resampled from or to.
    #[error(
        "cannot resample from {from} Hz to {to} Hz: rates are from {} to {} Hz",
        super::types::RATES.start(),
        super::types::RATES.end()
    )]
    Rate {
        /// The rate of the samples.
        from: u32,
        /// The rate asked for.
        to: u32,
    },
    /// The resampler refused its input.
    #[error("resampling from {from} Hz to {to} Hz failed: {reason}")]
    Resample {
        /// The rate of the samples.
        from: u32,
        /// The rate asked for.
        to: u32,
        /// What the resampler said.
        reason: String,
    },
}

impl AudioError {
    /// For `map_err` after a call that the system refused.
    pub(super) fn read(file: &str) -> impl FnOnce(std::io::Error) -> Self {
        let file = file.to_string();
        |source| AudioError::Read { file, source }
    }

    pub(super) fn undecodable(file: &str, problem: impl Into<String>) -> Self {
        let (file, problem) = (file.to_string(), problem.into());
        AudioError::Undecodable { file, problem }
    }

    pub(super) fn impossible(file: &str, problem: String) -> Self {
        let file = file.to_string();
        AudioError::Impossible { file, problem }
    }
}
