//! Some utterances of a corpus, as a corpus.

use std::sync::Arc;

use padwise_features::corpus::ReadError;
use padwise_features::{Corpus, CorpusError};

/// Some utterances of a corpus, in the order given.
pub struct Subset {
    corpus: Arc<dyn Corpus>,
    chosen: Vec<usize>,
    lengths: Vec<u32>,
}

impl Subset {
    /// The utterances with these numbers; numbers past the end are left out.
    pub fn new(corpus: Arc<dyn Corpus>, mut chosen: Vec<usize>) -> Self {
        chosen.retain(|&utterance| utterance < corpus.len());
        let lengths = chosen
            .iter()
            .map(|&utterance| corpus.lengths()[utterance])
            .collect();
        Subset {
            corpus,
            chosen,
            lengths,
        }
    }

    fn at(&self, utterance: usize) -> Option<usize> {
        self.chosen.get(utterance).copied()
    }
}

impl Corpus for Subset {
    fn lengths(&self) -> &[u32] {
        &self.lengths
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
        self.at(utterance).map_or("", |at| self.corpus.id(at))
    }

    fn speaker(&self, utterance: usize) -> Option<&str> {
        self.at(utterance).and_then(|at| self.corpus.speaker(at))
    }

    fn text(&self, utterance: usize) -> Option<&str> {
        self.at(utterance).and_then(|at| self.corpus.text(at))
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        let Some(at) = self.at(utterance) else {
            return Err(CorpusError::Read(ReadError::NoSuchUtterance {
                utterance,
                utterances: self.chosen.len(),
            }));
        };
        self.corpus.read_into(at, start, features, labels)
    }
}
