//! What can be wrong with a synthetic corpus: its config, or the place that an utterance shall be written to.

use thiserror::Error;

/// A config that describes no corpus, or a request that the corpus cannot fulfil.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SyntheticError {
    /// A setting with a value that no corpus can have.
    #[error("{key} is {value}: {expected}")]
    Setting {
        /// The setting, as it is named in a config.
        key: &'static str,
        /// The value it was given.
        value: String,
        /// What it must be.
        expected: String,
    },
    /// An utterance past the end.
    #[error("there is no utterance {index}: the synthetic corpus has {utterances}, from 0")]
    NoSuchUtterance {
        /// The number asked for.
        index: usize,
        /// How many there are.
        utterances: usize,
    },
    /// Room for another number of feature values or labels than the utterance has.
    #[error("utterance {index} has {shape}, and the place for its {room}")]
    Room {
        /// The utterance.
        index: usize,
        /// How many frames it has, and of how many dimensions.
        shape: String,
        /// What there is room for.
        room: String,
    },
}

impl SyntheticError {
    /// The setting that is at fault, as it is named in a config; none where the config is fine.
    pub fn key(&self) -> Option<&'static str> {
        match self {
            SyntheticError::Setting { key, .. } => Some(key),
            _ => None,
        }
    }
}
