//! A corpus with labels from another source.

use super::frame_labels::FrameLabels;
use super::timing::FrameTiming;
use crate::corpus::{Corpus, CorpusError, forward_utterances};

/// A corpus with its labels replaced.
pub struct Labelled<C> {
    corpus: C,
    labels: FrameLabels,
    timing: FrameTiming,
}

impl<C: Corpus> Labelled<C> {
    /// Adds labels to a corpus. `timing` gives the times of its frames.
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
            // The labels match the number of frames, and the read above checked the range.
            let start = start as usize;
            labels.copy_from_slice(&all[start..start + labels.len()]);
        }
        Ok(())
    }
}
