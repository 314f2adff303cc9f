//! The [`Corpus`] trait: utterances with features, independent of where they are stored.
//!
//! A sampler needs the lengths of all utterances before the first frame is read. A loader needs frames in any order,
//! copied directly into its own buffer. [`Corpus`] provides both, plus targets, ids, speakers and texts. This module
//! knows no file format; those are in `formats`.

mod error;
mod finite;
mod target_set;

use std::ops::Deref;
#[cfg(any(feature = "formats", feature = "synthetic"))]
use std::ops::Range;

pub use error::{CorpusError, ReadError};
pub use finite::NonFinite;
pub use target_set::{TargetSet, TargetUnit, ctc_frames};

use crate::matrix::Matrix;

/// Label of a frame without a label.
pub const NO_LABEL: i32 = -1;

/// Utterances with features, and optionally labels, speakers and texts.
///
/// Utterances are numbered from 0. The order never changes for the same files.
pub trait Corpus: Send + Sync {
    /// Lengths of all utterances in frames. Does not read any frames.
    fn lengths(&self) -> &[u32];

    /// Number of utterances.
    fn len(&self) -> usize {
        self.lengths().len()
    }

    /// Whether the corpus has no utterances.
    fn is_empty(&self) -> bool {
        self.lengths().is_empty()
    }

    /// Dimensions of a frame.
    fn dims(&self) -> usize;

    /// Number of label classes, or `None` if frames have no labels.
    fn classes(&self) -> Option<usize> {
        self.class_names().map(<[String]>::len)
    }

    /// Names of the classes, if they have names.
    fn class_names(&self) -> Option<&[String]> {
        None
    }

    /// Id of an utterance; empty if the number is out of range.
    fn id(&self, utterance: usize) -> &str;

    /// Speaker of an utterance, if known.
    fn speaker(&self, _utterance: usize) -> Option<&str> {
        None
    }

    /// Transcript of an utterance, if known.
    fn text(&self, _utterance: usize) -> Option<&str> {
        None
    }

    /// The symbols of target sequences, if the corpus has targets.
    fn target_set(&self) -> Option<&TargetSet> {
        None
    }

    /// The target sequence of an utterance: positions in the symbols of [`Corpus::target_set`]. Empty without targets.
    fn targets(&self, _utterance: usize) -> Result<Vec<i32>, CorpusError> {
        Ok(Vec::new())
    }

    /// Copies frames from `start` on into `features`, as many as fit, and their labels into `labels`.
    ///
    /// `features` holds a whole number of frames, row by row. `labels` has one entry per frame, or is empty to skip
    /// labels. A corpus without labels fills it with [`NO_LABEL`].
    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError>;

    /// Reads a whole utterance into new buffers. The labels are empty if the corpus has none.
    fn read(&self, utterance: usize) -> Result<(Matrix, Vec<i32>), CorpusError> {
        let frames = self.lengths().get(utterance).copied().unwrap_or(0) as usize;
        let mut features = Matrix::zeros(frames, self.dims());
        let labelled = if self.classes().is_some() { frames } else { 0 };
        let mut labels = vec![NO_LABEL; labelled];
        self.read_into(utterance, 0, features.as_mut_slice(), &mut labels)?;
        Ok((features, labels))
    }
}

/// Implements the per-utterance methods of a wrapper by forwarding them to the inner corpus, `$corpus`.
macro_rules! forward_utterances {
    ($self:ident => $corpus:expr) => {
        fn lengths(&$self) -> &[u32] {
            $corpus.lengths()
        }

        fn dims(&$self) -> usize {
            $corpus.dims()
        }

        fn id(&$self, utterance: usize) -> &str {
            $corpus.id(utterance)
        }

        fn speaker(&$self, utterance: usize) -> Option<&str> {
            $corpus.speaker(utterance)
        }

        fn text(&$self, utterance: usize) -> Option<&str> {
            $corpus.text(utterance)
        }

        fn target_set(&$self) -> Option<&$crate::corpus::TargetSet> {
            $corpus.target_set()
        }

        fn targets(&$self, utterance: usize) -> Result<Vec<i32>, $crate::CorpusError> {
            $corpus.targets(utterance)
        }
    };
}
pub(crate) use forward_utterances;

/// A corpus behind a pointer: `&C`, `Box<dyn Corpus>`, `Arc<dyn Corpus>`.
impl<P: Deref<Target: Corpus> + Send + Sync> Corpus for P {
    forward_utterances!(self => (**self));

    fn classes(&self) -> Option<usize> {
        (**self).classes()
    }

    fn class_names(&self) -> Option<&[String]> {
        (**self).class_names()
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        (**self).read_into(utterance, start, features, labels)
    }
}

/// Checks a call of [`Corpus::read_into`] and returns the requested frames.
#[cfg(any(feature = "formats", feature = "synthetic"))]
pub(crate) fn requested_frames(
    corpus: &dyn Corpus,
    utterance: usize,
    start: u32,
    features: &[f32],
    labels: &[i32],
) -> Result<Range<usize>, ReadError> {
    let (utterances, dims) = (corpus.len(), corpus.dims());
    let Some(&length) = corpus.lengths().get(utterance) else {
        return Err(ReadError::NoSuchUtterance {
            utterance,
            utterances,
        });
    };
    let (numbers, labels) = (features.len(), labels.len());
    let frames = numbers.checked_div(dims).unwrap_or(0);
    if frames * dims != numbers {
        return Err(ReadError::PartOfAFrame { numbers, dims });
    }
    if labels != 0 && labels != frames {
        return Err(ReadError::LabelBuffer { labels, frames });
    }
    let start = start as usize;
    match start.checked_add(frames) {
        Some(end) if end <= length as usize => Ok(start..end),
        _ => Err(ReadError::PastTheEnd {
            id: corpus.id(utterance).to_string(),
            start,
            frames,
            length,
        }),
    }
}

/// Copies the labels of some frames, or fills `labels` with [`NO_LABEL`] if there are none.
#[cfg(any(feature = "formats", feature = "synthetic"))]
pub(crate) fn copy_labels(all: Option<&[i32]>, frames: Range<usize>, labels: &mut [i32]) {
    match all.and_then(|all| all.get(frames)) {
        Some(some) if !labels.is_empty() => labels.copy_from_slice(some),
        _ => labels.fill(NO_LABEL),
    }
}

/// Converts a number of frames to an utterance length, which is at least 1 and fits 32 bits.
#[cfg(feature = "formats")]
pub(crate) fn utterance_length(frames: usize) -> Option<u32> {
    u32::try_from(frames).ok().filter(|&frames| frames > 0)
}
