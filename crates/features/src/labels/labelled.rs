//! A corpus with labels from elsewhere.

use super::frame_labels::FrameLabels;
use super::timing::FrameTiming;
use crate::corpus::{Corpus, CorpusError, forward_utterances};

/// A corpus whose labels, if it has any, are replaced by others.
pub struct Labelled<C> {
    corpus: C,
    labels: FrameLabels,
    timing: FrameTiming,
}

impl<C: Corpus> Labelled<C> {
    /// Puts labels on the frames of a corpus, which are when `timing` says.
    pub fn new(corpus: C, labels: FrameLabels, timing: FrameTiming) -> Self {
        Labelled {
            corpus,
            labels,
            timing,
        }
    }
}

impl<C: Corpus> Corpus for Labelled<C> {
    forward_utterances!(self => self.corpus);

    fn class_names(&self) -> Option<&[String]> {
        Some(self.labels.class_names())
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        self.corpus.read_into(utterance, start, features, &mut [])?;
        if !labels.is_empty() {
            let frames = self.lengths().get(utterance).copied().unwrap_or(0);
            let all = self.labels.of(self.id(utterance), frames, self.timing);
            let all = all.map_err(CorpusError::other)?;
            // As many as there are frames, of which the read above has found enough.
            let start = start as usize;
            labels.copy_from_slice(&all[start..start + labels.len()]);
        }
        Ok(())
    }
}
