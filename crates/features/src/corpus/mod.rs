//! What every corpus can do, wherever its numbers come from.
//!
//! A sampler needs the lengths, all of them, before the first frame is read; a loader needs frames in any order,
//! copied straight into a buffer it owns. [`Corpus`] is those two needs and what a report wants to say beside them.
//! Nothing here knows a file format: those are in [`formats`](crate::formats).

mod error;

use std::ops::Deref;
#[cfg(any(feature = "formats", feature = "synthetic"))]
use std::ops::Range;

pub use error::{CorpusError, ReadError};

use crate::matrix::Matrix;

/// The label of a frame that has none.
pub const NO_LABEL: i32 = -1;

/// Utterances with features, and labels and texts where they are known.
///
/// Utterances are numbered from 0 in an order that never changes for the same files.
pub trait Corpus: Send + Sync {
    /// The frames of every utterance, known without reading any.
    fn lengths(&self) -> &[u32];

    /// The number of utterances.
    fn len(&self) -> usize {
        self.lengths().len()
    }

    /// Whether there is no utterance.
    fn is_empty(&self) -> bool {
        self.lengths().is_empty()
    }

    /// The numbers in a frame.
    fn dims(&self) -> usize;

    /// The number of label classes; none where frames have no labels.
    fn classes(&self) -> Option<usize> {
        self.class_names().map(<[String]>::len)
    }

    /// The names of the classes, where they have names.
    fn class_names(&self) -> Option<&[String]> {
        None
    }

    /// The utterance's id; empty for a number past the end.
    fn id(&self, utterance: usize) -> &str;

    /// Who speaks, where it is known.
    fn speaker(&self, _utterance: usize) -> Option<&str> {
        None
    }

    /// What is said, where it is known.
    fn text(&self, _utterance: usize) -> Option<&str> {
        None
    }

    /// Copies frames `start..` of an utterance into `features`, as many as fit there, and their labels into `labels`.
    ///
    /// `features` holds a whole number of frames, row by row; `labels` is as many frames long, or empty where labels
    /// are not wanted. A corpus without labels fills it with [`NO_LABEL`].
    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError>;

    /// A whole utterance in memory of its own; without labels the second is empty.
    fn read(&self, utterance: usize) -> Result<(Matrix, Vec<i32>), CorpusError> {
        let frames = self.lengths().get(utterance).copied().unwrap_or(0) as usize;
        let mut features = Matrix::zeros(frames, self.dims());
        let labelled = if self.classes().is_some() { frames } else { 0 };
        let mut labels = vec![NO_LABEL; labelled];
        self.read_into(utterance, 0, features.as_mut_slice(), &mut labels)?;
        Ok((features, labels))
    }
}

/// What a corpus around another one, `$corpus`, says of its utterances: what the other says.
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

#[cfg(any(feature = "formats", feature = "synthetic"))]
/// The frames that a call of [`Corpus::read_into`] asks for, or what is wrong with the call.
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

#[cfg(any(feature = "formats", feature = "synthetic"))]
/// The labels of some frames of an utterance, or that there are none.
pub(crate) fn copy_labels(all: Option<&[i32]>, frames: Range<usize>, labels: &mut [i32]) {
    match all.and_then(|all| all.get(frames)) {
        Some(some) if !labels.is_empty() => labels.copy_from_slice(some),
        _ => labels.fill(NO_LABEL),
    }
}

#[cfg(feature = "formats")]
/// This many frames as the length of an utterance: at least 1, and of 32 bits.
pub(crate) fn utterance_length(frames: usize) -> Option<u32> {
    u32::try_from(frames).ok().filter(|&frames| frames > 0)
}
