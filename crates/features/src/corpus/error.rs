//! Why an utterance cannot be read.

use thiserror::Error;

use crate::files::FileError;

/// An utterance that cannot be read, from whatever kind of corpus.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// The call asks for something that is not there.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file is at fault.
    #[error(transparent)]
    File(#[from] FileError),
    /// Any other source of frames is at fault.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl CorpusError {
    /// Whatever another source of frames has to say.
    pub fn other(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        CorpusError::Other(Box::new(error))
    }
}

/// A call that asks a corpus for what it does not have, or with buffers that do not fit together.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ReadError {
    /// An utterance number past the end.
    #[error("utterance {utterance} of a corpus of {utterances}: they count from 0")]
    NoSuchUtterance {
        /// The number asked for.
        utterance: usize,
        /// How many there are.
        utterances: usize,
    },
    /// A buffer that ends inside a frame.
    #[error("a buffer of {numbers} numbers does not hold whole frames of {dims}")]
    PartOfAFrame {
        /// The buffer's length.
        numbers: usize,
        /// The numbers in a frame.
        dims: usize,
    },
    /// A label buffer of another length than the feature buffer.
    #[error("a buffer for {labels} labels beside one for {frames} frames: use {frames}, or none")]
    LabelBuffer {
        /// The labels it holds.
        labels: usize,
        /// The frames the feature buffer holds.
        frames: usize,
    },
    /// More frames than the utterance has.
    #[error("{frames} frames from frame {start} of utterance {id}, which has {length}")]
    PastTheEnd {
        /// The utterance's id.
        id: String,
        /// The first frame asked for.
        start: usize,
        /// The frames asked for.
        frames: usize,
        /// The frames it has.
        length: u32,
    },
}
