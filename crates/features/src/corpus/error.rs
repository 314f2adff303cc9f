//! Errors from reading an utterance.

use thiserror::Error;

use crate::files::FileError;

/// An utterance that cannot be read, from any kind of corpus.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// The call is invalid: no such utterance or frame, or a buffer of the wrong size.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file is missing or damaged.
    #[error(transparent)]
    File(#[from] FileError),
    /// Any other source of frames failed.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl CorpusError {
    /// Wraps the error of another source of frames.
    pub fn other(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        CorpusError::Other(Box::new(error))
    }
}

/// An invalid call of [`Corpus::read_into`](super::Corpus::read_into).
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ReadError {
    /// The utterance number is out of range.
    #[error("no utterance {utterance}: the corpus has {utterances}, numbered from 0")]
    NoSuchUtterance {
        /// The requested number.
        utterance: usize,
        /// Number of utterances in the corpus.
        utterances: usize,
    },
    /// The feature buffer does not hold a whole number of frames.
    #[error(
        "feature buffer of {numbers} values: must be a multiple of {dims}, the dimensions of a frame"
    )]
    PartOfAFrame {
        /// Length of the buffer.
        numbers: usize,
        /// Dimensions of a frame.
        dims: usize,
    },
    /// The label buffer and the feature buffer hold different numbers of frames.
    #[error(
        "label buffer for {labels} frames, feature buffer for {frames}: pass {frames} labels or an empty buffer"
    )]
    LabelBuffer {
        /// Length of the label buffer.
        labels: usize,
        /// Frames in the feature buffer.
        frames: usize,
    },
    /// The utterance is shorter than requested.
    #[error("utterance {id} has {length} frames: cannot read {frames} frames from frame {start}")]
    PastTheEnd {
        /// Id of the utterance.
        id: String,
        /// First requested frame.
        start: usize,
        /// Number of requested frames.
        frames: usize,
        /// Length of the utterance in frames.
        length: u32,
    },
}
