//! Why a network cannot be built.

use std::path::PathBuf;

use padwise_sampler::excerpt::excerpt;
use thiserror::Error;

/// Why a network cannot be built.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetworkError {
    /// A pronunciation has a phone that the acoustic model does not know.
    #[error(
        "{}:{line}: phone `{}` of `{}` is not a class of the model; the classes are {}",
        .lexicon.display(), excerpt(.phone), excerpt(.word), excerpt(.known)
    )]
    UnknownPhone {
        /// The lexicon.
        lexicon: PathBuf,
        /// The line in it.
        line: u64,
        /// The phone.
        phone: String,
        /// The word.
        word: String,
        /// The phones of the model.
        known: String,
    },
    /// A pronunciation is too long.
    #[error("{}:{line}: a pronunciation of {phones} phones: expected one word and its phones", .lexicon.display())]
    TooLong {
        /// The lexicon.
        lexicon: PathBuf,
        /// The line in it.
        line: u64,
        /// Number of phones.
        phones: usize,
    },
    /// No word is both in the lexicon and in the language model.
    #[error(
        "no word of {} is in the language model: check that both use the same spelling and case",
        .lexicon.display()
    )]
    NoWords {
        /// The lexicon.
        lexicon: PathBuf,
    },
    /// The acoustic model has too many phones.
    #[error("{phones} phones, the limit is {}: merge some of them", super::MAX_PHONES - 1)]
    TooManyPhones {
        /// Number of phones.
        phones: usize,
    },
    /// The acoustic model is described inconsistently.
    #[error("{0}")]
    Inconsistent(String),
}
