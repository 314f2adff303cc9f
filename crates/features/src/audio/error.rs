//! Errors of audio decoding and resampling.

use thiserror::Error;

/// A file that cannot be decoded, or samples that cannot be resampled.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AudioError {
    /// The file cannot be opened or read.
    #[error("{file}: {source}")]
    Read {
        /// The file.
        file: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// Not WAV or FLAC, damaged, empty, or without the requested channel.
    #[error("{file}: {problem}")]
    Undecodable {
        /// The file.
        file: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The header or a sample has an impossible value.
    #[error("{file}: {problem}")]
    Impossible {
        /// The file.
        file: String,
        /// Which value.
        problem: String,
    },
    /// A sample rate that is not supported.
    #[error(
        "cannot resample from {from} Hz to {to} Hz: rates must be from {} to {} Hz",
        super::types::RATES.start(),
        super::types::RATES.end()
    )]
    Rate {
        /// Rate of the samples.
        from: u32,
        /// Requested rate.
        to: u32,
    },
    /// The resampler failed.
    #[error("resampling from {from} Hz to {to} Hz failed: {reason}")]
    Resample {
        /// Rate of the samples.
        from: u32,
        /// Requested rate.
        to: u32,
        /// The resampler's message.
        reason: String,
    },
}

impl AudioError {
    /// For `map_err` after an I/O call.
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
