//! Learns tied states from a corpus.

use super::PARTS;
use super::context_sums::collect;
use super::error::StateError;
use super::grow::{Context, Grown, Rules, grow};
use super::inventory::{Phones, StateInventory, Trees};
use super::kind::{MOST_STATES, StateKind};
use super::questions::questions;
use super::sums::Sums;
use crate::corpus::{Corpus, CorpusError};
use crate::normalisation::VARIANCE_FLOOR;

/// Maximum number of phones for tied states. Phones with stress and word positions are about 350.
pub(super) const MOST_PHONES: usize = 1000;

/// Smallest variance of a state, as a fraction of the variance of all frames. Rare contexts would otherwise seem to fit
/// their few frames perfectly.
const FLOOR: f64 = 0.01;

impl StateInventory {
    /// Makes the states of a corpus. Tied states are learnt from the given utterances, reading each once; pass the training
    /// set only.
    ///
    /// The result depends neither on the number of threads nor on a shift or scale of a dimension.
    ///
    /// # Errors
    /// The corpus has no labels or too many, the number of tied states is too small, or an utterance cannot be read.
    pub fn learn(
        corpus: &dyn Corpus,
        utterances: &[usize],
        kind: StateKind,
    ) -> Result<Self, CorpusError> {
        let phones = Phones::of(corpus).map_err(CorpusError::other)?;
        let trees = match kind {
            StateKind::Phones | StateKind::Thirds => None,
            StateKind::Tied(states) => {
                let most = check(states, &phones).map_err(CorpusError::other)?;
                Some(learn_trees(corpus, utterances, &phones, most)?)
            }
        };
        StateInventory::new(kind, phones, trees).map_err(CorpusError::other)
    }
}

/// Checks a number of tied states.
fn check(states: u32, phones: &Phones) -> Result<usize, StateError> {
    if phones.len() > MOST_PHONES {
        return Err(StateError::TooManyPhones {
            classes: phones.len(),
            most: MOST_PHONES,
        });
    }
    let most = states as usize;
    if most < PARTS * phones.len() {
        return Err(StateError::TooFewStates {
            requested: states,
            phones: phones.len(),
        });
    }
    if most > MOST_STATES {
        return Err(StateError::TooManyStates { states: most });
    }
    Ok(most)
}

fn learn_trees(
    corpus: &dyn Corpus,
    utterances: &[usize],
    phones: &Phones,
    most: usize,
) -> Result<Trees, CorpusError> {
    let dims = corpus.dims();
    let mut all = Sums::new(dims);
    let mut centres = vec![Sums::new(dims); phones.len()];
    let mut roots: Vec<Vec<Context>> = Vec::new();
    roots.resize_with(PARTS * phones.len(), Vec::new);
    for (context, sums) in collect(corpus, utterances, phones)? {
        let phone = usize::from(context.phone);
        all.add(&sums);
        if usize::from(context.part) == PARTS / 2 {
            centres[phone].add(&sums);
        }
        if !phones.is_silence(phone) {
            roots[PARTS * phone + usize::from(context.part)].push(Context {
                left: context.left,
                right: context.right,
                sums,
            });
        }
    }
    let floors = all
        .variances()
        .map(|variance| (FLOOR * variance).max(VARIANCE_FLOOR));
    let floors: Vec<f64> = floors.collect();
    let questions = questions(phones, &centres, &floors);
    let rules = Rules {
        questions: &questions,
        floors: &floors,
        phones: phones.len(),
    };
    let Grown { trees, gain } = grow(roots, &rules, most);
    Ok(Trees {
        gain: gain / all.frames().max(1) as f64,
        questions,
        trees,
    })
}
