//! Errors of state inventories.

use padwise_sampler::excerpt::excerpt;
use thiserror::Error;

use super::PARTS;
use super::kind::MOST_STATES;

/// Longest name of a phone, in bytes.
pub(super) const LONGEST_NAME: usize = 100;

/// States that cannot be learnt, read or applied.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StateError {
    /// The corpus has no frame labels.
    #[error(
        "states need phone labels, but the corpus has no frame labels: prepare it with --labels"
    )]
    NoLabels,
    /// The number of tied states is too small for the phones.
    #[error(
        "{requested} tied states for {phones} phones: use at least {}, {PARTS} per phone",
        phones * PARTS
    )]
    TooFewStates {
        /// Requested number of states.
        requested: u32,
        /// Phones of the corpus.
        phones: usize,
    },
    /// More states than labels can number.
    #[error("{states} states: at most {MOST_STATES} are supported")]
    TooManyStates {
        /// Number of states.
        states: usize,
    },
    /// The labels are hardly phones.
    #[error(
        "tied states need phone labels, but the corpus has {classes} classes (at most {most}): its labels seem to be states already"
    )]
    TooManyPhones {
        /// Classes of the corpus.
        classes: usize,
        /// Maximum number of phones.
        most: usize,
    },
    /// Two phones have the same name.
    #[error(
        "two phones are named `{}`: give every class a different name",
        excerpt(name)
    )]
    DuplicatePhone {
        /// The name.
        name: String,
    },
    /// The name of a phone is too long. Every state repeats it.
    #[error(
        "a phone has a name of {} bytes, {}: at most {LONGEST_NAME} are supported",
        name.len(),
        excerpt(name)
    )]
    LongName {
        /// The name.
        name: String,
    },
    /// A label of the corpus is not a phone of the inventory.
    #[error("utterance {id} has label {label}, but there are {phones} phones, numbered from 0")]
    UnknownPhone {
        /// Id of the utterance.
        id: String,
        /// The label.
        label: i32,
        /// Number of phones.
        phones: usize,
    },
    /// The states were made for other phones.
    #[error(
        "the corpus has other phones than the states ({corpus} and {states}): learn the states on a corpus with the same labels"
    )]
    OtherPhones {
        /// Phones of the corpus, in words.
        corpus: String,
        /// Phones of the inventory, in words.
        states: String,
    },
    /// An inventory from a file is invalid.
    #[error("invalid states: {0}")]
    Damaged(String),
}
