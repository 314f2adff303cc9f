//! States of phones as the classes of a split.

use std::sync::Arc;

use padwise_features::Corpus;
use padwise_features::states::{StateInventory, StateKind, StateLabelled};

use super::supervision::Supervision;
use super::{CorporaError, Split};

impl Split {
    /// Learns states from the training utterances. `None` if the labels are used as they are.
    pub fn learn_states(&self, kind: StateKind) -> Result<Option<StateInventory>, CorporaError> {
        if kind == StateKind::Phones {
            return Ok(None);
        }
        if self.supervision == Supervision::Targets {
            return Err(CorporaError::Unsuitable(
                "corpus.states derives classes from frame labels, but CTC trains on the targets of this corpus: remove `states`".into(),
            ));
        }
        let all: Vec<usize> = (0..self.training.len()).collect();
        let states = StateInventory::learn(self.training.as_ref(), &all, kind)?;
        Ok(Some(states))
    }

    /// Replaces the phone labels of all utterances by states. Sequences are still compared in phones.
    pub fn with_states(self, states: &Arc<StateInventory>) -> Result<Self, CorporaError> {
        let relabelled = |corpus: Arc<dyn Corpus>| -> Result<Arc<dyn Corpus>, CorporaError> {
            let corpus = StateLabelled::new(corpus, states.clone());
            Ok(Arc::new(corpus.map_err(CorporaError::other)?))
        };
        let phone_of = |class| states.phone_of(class) as u32;
        Ok(Split {
            training: relabelled(self.training)?,
            validation: relabelled(self.validation)?,
            symbols: (0..states.len()).map(phone_of).collect(),
            classes: states.len(),
            ..self
        })
    }
}
