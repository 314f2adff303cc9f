//! The synthetic corpus as a [`Corpus`].

use super::config::SyntheticConfig;
use super::error::SyntheticError;
use super::generator::Synthetic;
use crate::corpus::{Corpus, CorpusError, copy_labels, requested_frames};

/// A synthetic corpus with precomputed lengths and ids. Frames are generated on demand.
pub struct SyntheticCorpus {
    synthetic: Synthetic,
    lengths: Vec<u32>,
    ids: Vec<String>,
}

impl SyntheticCorpus {
    /// Creates the corpus that `config` describes.
    pub fn new(config: SyntheticConfig) -> Result<Self, SyntheticError> {
        let synthetic = Synthetic::new(config)?;
        Ok(SyntheticCorpus {
            lengths: synthetic.lengths(),
            ids: (0..synthetic.len()).map(|i| synthetic.id(i)).collect(),
            synthetic,
        })
    }
}

impl Corpus for SyntheticCorpus {
    fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    fn dims(&self) -> usize {
        self.synthetic.dims()
    }

    fn classes(&self) -> Option<usize> {
        Some(self.synthetic.classes())
    }

    fn id(&self, utterance: usize) -> &str {
        self.ids.get(utterance).map_or("", String::as_str)
    }

    /// The part of the id before the hyphen.
    fn speaker(&self, utterance: usize) -> Option<&str> {
        self.id(utterance).split_once('-').map(|(name, _)| name)
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        let frames = requested_frames(self, utterance, start, features, labels)?;
        let whole = self.lengths[utterance] as usize;
        if frames.len() == whole && labels.len() == whole {
            let made = self.synthetic.read_into(utterance, features, labels);
            return made.map_err(CorpusError::other);
        }
        // A frame depends on the frames before it, so generate the whole utterance.
        let made = self.synthetic.generate(utterance);
        let (all, all_labels) = made.map_err(CorpusError::other)?;
        let dims = self.dims();
        features.copy_from_slice(&all.as_slice()[frames.start * dims..frames.end * dims]);
        copy_labels(Some(&all_labels), frames, labels);
        Ok(())
    }
}
