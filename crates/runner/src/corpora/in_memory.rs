//! A corpus that is read once and kept in memory.
//!
//! Reading any part of a synthetic utterance generates the whole utterance. Training on chunks would generate each one dozens of
//! times per epoch, and the experiment would measure the loader instead of the strategy.

use padwise_features::corpus::{ReadError, TargetSet};
use padwise_features::{Corpus, CorpusError};
use rayon::prelude::*;

use crate::machine::demand::require_host;

/// A corpus with all of its frames in memory.
pub struct InMemory<C> {
    corpus: C,
    utterances: Vec<(Vec<f32>, Vec<i32>)>,
}

impl<C: Corpus> InMemory<C> {
    /// Reads all utterances, on all cores.
    pub fn read(corpus: C) -> Result<Self, CorpusError> {
        let frames: u64 = corpus.lengths().iter().map(|&n| u64::from(n)).sum();
        // Features and one label per frame, 4 bytes each.
        let needed = frames.saturating_mul(4 * (corpus.dims() as u64 + 1));
        let request = format!("a corpus of {} utterances in memory", corpus.len());
        require_host(request, needed).map_err(CorpusError::other)?;
        let utterances = (0..corpus.len())
            .into_par_iter()
            .map(|utterance| {
                let (features, labels) = corpus.read(utterance)?;
                Ok((features.as_slice().to_vec(), labels))
            })
            .collect::<Result<_, CorpusError>>()?;
        Ok(InMemory { corpus, utterances })
    }
}

impl<C: Corpus> Corpus for InMemory<C> {
    fn lengths(&self) -> &[u32] {
        self.corpus.lengths()
    }

    fn dims(&self) -> usize {
        self.corpus.dims()
    }

    fn classes(&self) -> Option<usize> {
        self.corpus.classes()
    }

    fn class_names(&self) -> Option<&[String]> {
        self.corpus.class_names()
    }

    fn id(&self, utterance: usize) -> &str {
        self.corpus.id(utterance)
    }

    fn speaker(&self, utterance: usize) -> Option<&str> {
        self.corpus.speaker(utterance)
    }

    fn text(&self, utterance: usize) -> Option<&str> {
        self.corpus.text(utterance)
    }

    fn target_set(&self) -> Option<&TargetSet> {
        self.corpus.target_set()
    }

    fn targets(&self, utterance: usize) -> Result<Vec<i32>, CorpusError> {
        self.corpus.targets(utterance)
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        let dims = self.dims();
        let frames = features.len() / dims.max(1);
        let range = start as usize..(start as usize).saturating_add(frames);
        let stored = self.utterances.get(utterance);
        let part = stored.and_then(|(all, all_labels)| {
            let part = all.get(range.start * dims..range.end * dims)?;
            Some((part, all_labels))
        });
        let Some((part, all_labels)) = part else {
            return Err(CorpusError::Read(ReadError::PastTheEnd {
                id: self.id(utterance).to_owned(),
                start: start as usize,
                frames,
                length: self.lengths().get(utterance).copied().unwrap_or(0),
            }));
        };
        features.copy_from_slice(part);
        match all_labels.get(range) {
            Some(part) if labels.len() == part.len() => labels.copy_from_slice(part),
            _ => labels.fill(padwise_features::corpus::NO_LABEL),
        }
        Ok(())
    }
}
