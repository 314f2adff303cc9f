//! The states of a set of phones.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::PARTS;
use super::error::{LONGEST_NAME, StateError};
use super::json::Written;
use super::kind::{MOST_STATES, StateKind};
use super::segments::{Segment, segments, thirds};
use super::silence::is_silence;
use super::tree::Tree;
use crate::corpus::{Corpus, NO_LABEL};

/// The states of phones: which class each third of a phone has in its context.
///
/// It is saved with a model as JSON. Reading checks it.
///
/// ```
/// use padwise_features::states::{StateInventory, StateKind};
/// use padwise_features::{SyntheticConfig, SyntheticCorpus};
///
/// let corpus = SyntheticCorpus::new(SyntheticConfig { utterances: 2, classes: 200, ..Default::default() })?;
/// let states = StateInventory::learn(&corpus, &[0, 1], StateKind::Thirds)?;
/// assert_eq!(states.len(), 600);
/// let mut labels = [7, 7, 7, 7, 2];
/// states.relabel(&mut labels).expect("known phones");
/// assert_eq!(labels, [21, 21, 22, 23, 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct StateInventory {
    kind: StateKind,
    phones: Phones,
    trees: Option<Trees>,
    /// With trees: the first class of each tree.
    firsts: Vec<usize>,
    names: Vec<String>,
    /// The phone of each class.
    owners: Vec<usize>,
}

/// Decision trees, [`PARTS`] per phone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Trees {
    pub questions: Vec<Vec<u16>>,
    pub trees: Vec<Tree>,
    /// Log-likelihood gain of all splits per training frame.
    pub gain: f64,
}

impl StateInventory {
    /// Numbers and names the classes.
    pub(super) fn new(
        kind: StateKind,
        phones: Phones,
        trees: Option<Trees>,
    ) -> Result<Self, StateError> {
        let leaves = |tree: usize| match &trees {
            Some(trees) => trees.trees[tree].leaves(),
            None => 1,
        };
        let states: usize = match kind {
            StateKind::Phones => phones.len(),
            _ => (0..PARTS * phones.len()).map(leaves).sum(),
        };
        if states > MOST_STATES {
            return Err(StateError::TooManyStates { states });
        }
        let (mut names, mut owners, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
        if kind == StateKind::Phones {
            names.clone_from(&phones.names);
            owners.extend(0..phones.len());
        } else {
            for tree in 0..PARTS * phones.len() {
                let (phone, part) = (tree / PARTS, tree % PARTS);
                let name = &phones.names[phone];
                firsts.push(names.len());
                match leaves(tree) {
                    1 => names.push(format!("{name}.{part}")),
                    leaves => {
                        names.extend((0..leaves).map(|leaf| format!("{name}.{part}[{leaf}]")))
                    }
                }
                owners.resize(names.len(), phone);
            }
        }
        Ok(StateInventory {
            kind,
            phones,
            trees,
            firsts,
            names,
            owners,
        })
    }

    /// The kind of states.
    pub fn kind(&self) -> StateKind {
        self.kind
    }

    /// Whether the class of a phone depends on its neighbours.
    pub fn is_context_dependent(&self) -> bool {
        self.trees.is_some()
    }

    /// Names of the phones.
    pub fn phones(&self) -> &[String] {
        &self.phones.names
    }

    /// Number of classes.
    #[allow(clippy::len_without_is_empty)] // There is at least one phone.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Unique names of the classes: `AH`, `AH.0` for a third, `AH.0[17]` for a tied state.
    pub fn class_names(&self) -> &[String] {
        &self.names
    }

    /// The phone of a class.
    ///
    /// # Panics
    /// `class` is not below [`len`](Self::len).
    pub fn phone_of(&self, class: usize) -> usize {
        self.owners[class]
    }

    /// The neighbour of the first and last phone of an utterance: the first silence phone. Without one it is the number of
    /// phones, which is in no question.
    pub fn boundary(&self) -> usize {
        self.phones.boundary
    }

    /// Mean log-likelihood gain of tied states over thirds of phones, per training frame.
    pub fn gain(&self) -> Option<f64> {
        self.trees.as_ref().map(|trees| trees.gain)
    }

    /// The classes of the three parts of a phone. Each is the phone itself with [`StateKind::Phones`].
    ///
    /// # Panics
    /// `phone` is not below the number of phones. Unknown neighbours are allowed.
    pub fn classes(&self, left: usize, phone: usize, right: usize) -> [usize; PARTS] {
        std::array::from_fn(|part| match &self.trees {
            None if self.kind == StateKind::Phones => self.owners[phone],
            None => self.firsts[PARTS * phone + part],
            Some(trees) => {
                let tree = PARTS * phone + part;
                self.firsts[tree] + trees.trees[tree].find(&trees.questions, left, right)
            }
        })
    }

    /// Replaces the phone labels of a whole utterance by classes. [`NO_LABEL`] stays.
    ///
    /// # Errors
    /// The first label that is not a phone. The labels are then unchanged.
    pub fn relabel(&self, labels: &mut [i32]) -> Result<(), i32> {
        let segments = segments(labels);
        for segment in &segments {
            self.phones.number(segment.label)?;
        }
        for (place, segment) in segments.iter().enumerate() {
            let Ok(Some(phone)) = self.phones.number(segment.label) else {
                continue;
            };
            let (left, right) = self.phones.neighbours(&segments, place);
            let classes = self.classes(left, phone, right);
            for (class, frames) in classes.into_iter().zip(thirds(&segment.frames)) {
                labels[frames].fill(class as i32);
            }
        }
        Ok(())
    }

    pub(super) fn trees(&self) -> Option<&Trees> {
        self.trees.as_ref()
    }
}

/// The names of phones, and which of them are silence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Phones {
    names: Vec<String>,
    silence: Vec<bool>,
    boundary: usize,
}

impl Phones {
    pub fn new(names: Vec<String>) -> Result<Self, StateError> {
        if names.len() > MOST_STATES {
            return Err(StateError::TooManyStates {
                states: names.len(),
            });
        }
        if names.is_empty() {
            return Err(StateError::NoLabels);
        }
        if let Some(name) = names.iter().find(|name| name.len() > LONGEST_NAME) {
            return Err(StateError::LongName { name: name.clone() });
        }
        let mut seen = HashSet::with_capacity(names.len());
        if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(StateError::DuplicatePhone { name: name.clone() });
        }
        let silence: Vec<bool> = names.iter().map(|name| is_silence(name)).collect();
        let first = silence.iter().position(|&silence| silence);
        Ok(Phones {
            boundary: first.unwrap_or(names.len()),
            silence,
            names,
        })
    }

    /// The phones of a corpus. Classes without names are named by their number.
    pub fn of(corpus: &dyn Corpus) -> Result<Self, StateError> {
        match (corpus.class_names(), corpus.classes()) {
            (Some(names), _) => Phones::new(names.to_vec()),
            (None, Some(classes)) if classes > MOST_STATES => {
                Err(StateError::TooManyStates { states: classes })
            }
            (None, Some(classes)) => {
                Phones::new((0..classes).map(|class| class.to_string()).collect())
            }
            (None, None) => Err(StateError::NoLabels),
        }
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_silence(&self, phone: usize) -> bool {
        self.silence.get(phone).copied().unwrap_or(true)
    }

    /// The phone of a label, `None` for an unlabelled frame. The error is a label that is neither.
    pub fn number(&self, label: i32) -> Result<Option<usize>, i32> {
        match usize::try_from(label) {
            Ok(phone) if phone < self.names.len() => Ok(Some(phone)),
            _ if label == NO_LABEL => Ok(None),
            _ => Err(label),
        }
    }

    /// The neighbours of a segment. The ends of the utterance and unlabelled frames count as silence.
    pub fn neighbours(&self, segments: &[Segment], place: usize) -> (usize, usize) {
        let phone = |place: Option<usize>| {
            let segment = segments.get(place?)?;
            self.number(segment.label).ok().flatten()
        };
        let left = phone(place.checked_sub(1));
        let right = phone(place.checked_add(1));
        (
            left.unwrap_or(self.boundary),
            right.unwrap_or(self.boundary),
        )
    }
}
