//! A corpus whose labels are states.

use std::sync::{Arc, OnceLock};

use padwise_sampler::excerpt::excerpt;

use super::error::StateError;
use super::inventory::{Phones, StateInventory};
use crate::corpus::{Corpus, CorpusError, NO_LABEL, forward_utterances};

/// The stored form of [`NO_LABEL`]. No class has this number.
const UNLABELLED: u16 = u16::MAX;

/// A corpus with phone labels replaced by states.
///
/// A state depends on the whole utterance: on where its segment begins and ends, and on its neighbours. Whole utterances
/// are relabelled as they are read, so most training needs no memory for that. The first read of a chunk reads its whole
/// utterance and keeps the states, 2 bytes per frame, for the other chunks.
pub struct StateLabelled<C> {
    corpus: C,
    states: Arc<StateInventory>,
    kept: Vec<OnceLock<Box<[u16]>>>,
}

impl<C: Corpus> StateLabelled<C> {
    /// Replaces the labels of a corpus.
    ///
    /// # Errors
    /// The corpus has other phones than the states.
    pub fn new(corpus: C, states: Arc<StateInventory>) -> Result<Self, StateError> {
        let phones = Phones::of(&corpus)?;
        if phones.names() != states.phones() {
            let [corpus, states] = described(phones.names(), states.phones());
            return Err(StateError::OtherPhones { corpus, states });
        }
        Ok(StateLabelled {
            kept: corpus.lengths().iter().map(|_| OnceLock::new()).collect(),
            corpus,
            states,
        })
    }

    /// The states.
    pub fn states(&self) -> &StateInventory {
        &self.states
    }

    fn relabel(&self, utterance: usize, labels: &mut [i32]) -> Result<(), CorpusError> {
        self.states.relabel(labels).map_err(|label| {
            CorpusError::other(StateError::UnknownPhone {
                id: self.id(utterance).into(),
                label,
                phones: self.states.phones().len(),
            })
        })
    }

    /// The states of a whole utterance, which must exist.
    fn kept(&self, utterance: usize) -> Result<&[u16], CorpusError> {
        if let Some(kept) = self.kept[utterance].get() {
            return Ok(kept);
        }
        let (_, mut labels) = self.corpus.read(utterance)?;
        self.relabel(utterance, &mut labels)?;
        let stored = labels
            .iter()
            .map(|&label| u16::try_from(label).unwrap_or(UNLABELLED));
        let stored = stored.collect();
        Ok(self.kept[utterance].get_or_init(|| stored))
    }
}

/// The difference between two lists of phones, in words.
fn described(corpus: &[String], states: &[String]) -> [String; 2] {
    let pairs = corpus.iter().zip(states).enumerate();
    let mut pairs = pairs.filter(|(_, (corpus, states))| corpus != states);
    match pairs.next() {
        Some((number, names)) if corpus.len() == states.len() => {
            [names.0, names.1].map(|name| format!("`{}` as number {number}", excerpt(name)))
        }
        _ => [corpus, states].map(|names| names.len().to_string()),
    }
}

impl<C: Corpus> Corpus for StateLabelled<C> {
    forward_utterances!(self => self.corpus);

    fn class_names(&self) -> Option<&[String]> {
        Some(self.states.class_names())
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        // This checks the range, and that there are as many labels as frames.
        self.corpus.read_into(utterance, start, features, labels)?;
        if labels.is_empty() {
            return Ok(());
        }
        if labels.len() == self.lengths()[utterance] as usize {
            return self.relabel(utterance, labels);
        }
        let start = start as usize;
        let kept = &self.kept(utterance)?[start..start + labels.len()];
        for (label, &state) in labels.iter_mut().zip(kept) {
            *label = match state {
                UNLABELLED => NO_LABEL,
                state => i32::from(state),
            };
        }
        Ok(())
    }
}
