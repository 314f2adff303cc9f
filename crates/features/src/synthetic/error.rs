//! What can be wrong with a synthetic corpus: its config, or the place that an utterance shall be written to.

use thiserror::Error;

use super::config::{MAX_CLASSES, MAX_DIMS, MAX_SPEAKERS, MAX_UTTERANCES, MIN_CLASSES};

/// A config that describes no corpus, or a request that the corpus cannot fulfil.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SyntheticError {
    /// No utterances, or more than can be numbered.
    #[error("utterances is {value}: it must be from 1 to {MAX_UTTERANCES}")]
    Utterances {
        /// The value it was given.
        value: usize,
    },
    /// No dimensions, or more than any front end makes.
    #[error("dims is {value}: a frame must have from 1 to {MAX_DIMS} dimensions (16 is usual)")]
    Dims {
        /// The value it was given.
        value: usize,
    },
    /// Fewer classes than states without context.
    #[error(
        "classes is {value}: every phone and the silence need three states each, so at least {MIN_CLASSES} classes; 1500 is usual"
    )]
    ClassesTooFew {
        /// The value it was given.
        value: usize,
    },
    /// More classes than states in context.
    #[error(
        "classes is {value}: there are only {MAX_CLASSES} states in context to tell apart; 1500 is usual"
    )]
    ClassesTooMany {
        /// The value it was given.
        value: usize,
    },
    /// No speakers, or too many.
    #[error("speakers is {value}: it must be from 1 to {MAX_SPEAKERS}")]
    Speakers {
        /// The value it was given.
        value: usize,
    },
    /// A noise level that is no level.
    #[error("noise is {value}: it must be a number from 0 (none) to 100; 1 is usual")]
    Noise {
        /// The value it was given.
        value: f32,
    },
    /// An utterance past the end.
    #[error("there is no utterance {index}: the synthetic corpus has {utterances}, from 0")]
    NoSuchUtterance {
        /// The number asked for.
        index: usize,
        /// How many there are.
        utterances: usize,
    },
    /// Room for another number of feature values than the utterance has.
    #[error(
        "utterance {index} has {frames} frames of {dims} dimensions, and the place for its features has room for {room} numbers instead of {}", .frames * .dims
    )]
    FeatureRoom {
        /// The utterance.
        index: usize,
        /// Its frames.
        frames: usize,
        /// Its dimensions.
        dims: usize,
        /// The numbers there is room for.
        room: usize,
    },
    /// Room for another number of labels than the utterance has frames.
    #[error(
        "utterance {index} has {frames} frames, and the place for its labels has room for {room}"
    )]
    LabelRoom {
        /// The utterance.
        index: usize,
        /// Its frames.
        frames: usize,
        /// The labels there is room for.
        room: usize,
    },
}
