//! Errors in CTC batches.

use thiserror::Error;

/// The reason why no loss can be computed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CtcError {
    /// There is no utterance, no frame or no class.
    #[error("a CTC batch needs at least one utterance, one frame and one class")]
    EmptyBatch,
    /// The blank is not one of the classes.
    #[error("the blank is class {blank}, but the classes are 0 to {}", classes - 1)]
    Blank {
        /// The blank class.
        blank: usize,
        /// Number of classes.
        classes: usize,
    },
    /// The logits are not a whole number of frames.
    #[error("{found} logits: expected a multiple of {utterances} utterances × {classes} classes")]
    Logits {
        /// Number of logits.
        found: usize,
        /// Number of input lengths.
        utterances: usize,
        /// Number of classes.
        classes: usize,
    },
    /// The two lists of lengths differ in length.
    #[error("{found} target lengths for {utterances} utterances: give one per utterance")]
    TargetLengths {
        /// Number of target lengths.
        found: usize,
        /// Number of input lengths.
        utterances: usize,
    },
    /// An utterance is empty or longer than the batch.
    #[error("utterance {utterance} has length {length}, but the batch allows 1 to {frames} frames")]
    InputLength {
        /// Index of the utterance.
        utterance: usize,
        /// Its length.
        length: usize,
        /// Padded length of the batch, in frames.
        frames: usize,
    },
    /// The target lengths do not add up to the number of labels.
    #[error("the target lengths do not add up to the {found} labels given")]
    Targets {
        /// Number of labels.
        found: usize,
    },
    /// A label is the blank or not one of the classes.
    #[error(
        "utterance {utterance} has label {label}: labels must be 0 to {} and not the blank, {blank}",
        classes - 1
    )]
    Label {
        /// Index of the utterance.
        utterance: usize,
        /// The label.
        label: u32,
        /// Number of classes.
        classes: usize,
        /// The blank class.
        blank: usize,
    },
    /// Utterances are too short for their targets.
    #[error(
        "utterances {utterances:?} are too short for their targets (the first has {frames} frames and needs {needed}): \
         remove them, subsample less, or exclude them from the loss"
    )]
    Unalignable {
        /// Indices of the utterances, in ascending order.
        utterances: Vec<usize>,
        /// Number of frames of the first of them.
        frames: usize,
        /// Number of frames that it needs.
        needed: usize,
    },
    /// A logit inside an utterance is infinite or NaN.
    #[error(
        "a logit at frame {frame} of utterance {utterance} is not finite: the model has diverged"
    )]
    NotFinite {
        /// Index of the utterance.
        utterance: usize,
        /// Index of the frame.
        frame: usize,
    },
}
