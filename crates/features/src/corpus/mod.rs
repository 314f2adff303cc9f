//! What every corpus can do, wherever its numbers come from.
//!
//! A sampler needs the lengths, all of them, before the first frame is read; a loader needs frames in any order,
//! copied straight into a buffer it owns. [`Corpus`] is those two needs and what a report wants to say beside them.

mod error;
mod mapped;

pub use error::{CorpusError, ReadError};
pub(crate) use mapped::map;

use crate::Matrix;

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
    fn classes(&self) -> Option<usize>;

    /// The names of the classes, where they have names.
    fn class_names(&self) -> Option<&[String]>;

    /// The utterance's id; empty for a number past the end.
    fn id(&self, utterance: usize) -> &str;

    /// Who speaks, where it is known.
    fn speaker(&self, utterance: usize) -> Option<&str>;

    /// What is said, where it is known.
    fn text(&self, utterance: usize) -> Option<&str>;

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

impl<C: Corpus + ?Sized> Corpus for Box<C> {
    fn lengths(&self) -> &[u32] {
        (**self).lengths()
    }

    fn dims(&self) -> usize {
        (**self).dims()
    }

    fn classes(&self) -> Option<usize> {
        (**self).classes()
    }

    fn class_names(&self) -> Option<&[String]> {
        (**self).class_names()
    }

    fn id(&self, utterance: usize) -> &str {
        (**self).id(utterance)
    }

    fn speaker(&self, utterance: usize) -> Option<&str> {
        (**self).speaker(utterance)
    }

    fn text(&self, utterance: usize) -> Option<&str> {
        (**self).text(utterance)
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

/// The frames that a call of [`Corpus::read_into`] asks for, or what is wrong with the call.
pub(crate) fn requested_frames(
    corpus: &dyn Corpus,
    utterance: usize,
    start: u32,
    features: &[f32],
    labels: &[i32],
) -> Result<std::ops::Range<usize>, ReadError> {
    let Some(&length) = corpus.lengths().get(utterance) else {
        return Err(ReadError::NoSuchUtterance {
            utterance,
            utterances: corpus.len(),
        });
    };
    let dims = corpus.dims();
    let frames = features.len().checked_div(dims).unwrap_or(0);
    if frames * dims != features.len() {
        return Err(ReadError::PartOfAFrame {
            numbers: features.len(),
            dims,
        });
    }
    if !labels.is_empty() && labels.len() != frames {
        return Err(ReadError::LabelBuffer {
            labels: labels.len(),
            frames,
        });
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
