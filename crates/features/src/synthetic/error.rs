//! Errors of the synthetic corpus.

use thiserror::Error;

/// Invalid settings, or an invalid request.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SyntheticError {
    /// A setting is out of range.
    #[error("{key} is {value}: {expected}")]
    Setting {
        /// Name of the setting in a config.
        key: &'static str,
        /// Its value.
        value: String,
        /// The allowed values.
        expected: String,
    },
    /// The utterance number is out of range.
    #[error("no utterance {index}: the synthetic corpus has {utterances}, numbered from 0")]
    NoSuchUtterance {
        /// The requested number.
        index: usize,
        /// Number of utterances.
        utterances: usize,
    },
    /// A buffer does not have the size of the utterance.
    #[error("utterance {index} has {shape}, but {buffer}")]
    BufferSize {
        /// Number of the utterance.
        index: usize,
        /// Its shape.
        shape: String,
        /// The size of the buffer.
        buffer: String,
    },
}

impl SyntheticError {
    /// Name of the invalid setting in a config; `None` for other errors.
    pub fn key(&self) -> Option<&'static str> {
        match self {
            SyntheticError::Setting { key, .. } => Some(key),
            _ => None,
        }
    }
}
