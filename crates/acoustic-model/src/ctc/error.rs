//! What can be wrong with a batch.

use thiserror::Error;

/// Why no loss can be computed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CtcError {
    /// There is no utterance, no frame or no class.
    #[error("a CTC batch needs at least one utterance, one frame and one class")]
    EmptyBatch,
    /// Blank is none of the classes.
    #[error("blank is class {blank}, but the model has the classes 0 to {}: choose one of them", classes - 1)]
    Blank {
        /// The class named as blank.
        blank: usize,
        /// How many classes there are.
        classes: usize,
    },
    /// The logits are no whole number of frames.
    #[error(
        "{found} logits do not divide into frames of {utterances} utterances with {classes} classes each"
    )]
    Logits {
        /// How many logits were given.
        found: usize,
        /// How many utterances the input lengths speak of.
        utterances: usize,
        /// How many classes there are.
        classes: usize,
    },
    /// The two lists of lengths differ in length.
    #[error("{utterances} utterances have {found} target lengths: give one for each")]
    TargetLengths {
        /// How many target lengths were given.
        found: usize,
        /// How many utterances the input lengths speak of.
        utterances: usize,
    },
    /// An utterance is empty or longer than the batch.
    #[error(
        "utterance {utterance} is said to have {length} frames: a batch of {frames} frames holds 1 to {frames}"
    )]
    InputLength {
        /// Which utterance, counted from 0.
        utterance: usize,
        /// Its length.
        length: usize,
        /// How many frames the batch has, padding included.
        frames: usize,
    },
    /// The target lengths do not add up to the number of labels.
    #[error("the target lengths do not add up to the {found} labels given")]
    Targets {
        /// How many labels were given.
        found: usize,
    },
    /// A label is blank or none of the classes.
    #[error(
        "utterance {utterance} has label {label}: labels are the classes 0 to {} without blank, {blank}",
        classes - 1
    )]
    Label {
        /// Which utterance, counted from 0.
        utterance: usize,
        /// The label.
        label: u32,
        /// How many classes there are.
        classes: usize,
        /// The class of blank.
        blank: usize,
    },
    /// Utterances are too short for their targets.
    #[error(
        "utterances {utterances:?} are too short for their targets (the first has {frames} frames and needs {needed}): \
         remove them, subsample less, or leave them out of the loss"
    )]
    Impossible {
        /// Which utterances, in ascending order.
        utterances: Vec<usize>,
        /// How many frames the first of them has.
        frames: usize,
        /// How many it would need.
        needed: usize,
    },
    /// A logit inside an utterance is infinite or NaN.
    #[error(
        "a logit at frame {frame} of utterance {utterance} is not finite: the model has diverged"
    )]
    NotFinite {
        /// Which utterance, counted from 0.
        utterance: usize,
        /// Which of its frames.
        frame: usize,
    },
}
