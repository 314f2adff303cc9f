//! Collects the statistics of every third of every phone in context, in one parallel pass over the corpus.

use std::collections::BTreeMap;

#[cfg(feature = "rayon")]
use rayon::prelude::*;

use super::error::StateError;
use super::inventory::Phones;
use super::segments::{segments, thirds};
use super::sums::Sums;
use crate::corpus::{Corpus, CorpusError};

/// Utterances per task. A fixed number keeps the sums independent of the number of cores.
const UTTERANCES_PER_TASK: usize = 32;

/// Tasks whose sums are in memory at the same time.
const TASKS_PER_ROUND: usize = 32;

/// A third of a phone in its context. Silence has no context, so its neighbours are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct InContext {
    pub phone: u16,
    pub part: u8,
    pub left: u16,
    pub right: u16,
}

/// Sums by third and context.
pub(super) type ContextSums = BTreeMap<InContext, Sums>;

/// Collects the sums of some utterances. The result does not depend on the number of threads.
pub(super) fn collect(
    corpus: &dyn Corpus,
    utterances: &[usize],
    phones: &Phones,
) -> Result<ContextSums, CorpusError> {
    let mut total = ContextSums::new();
    for round in utterances.chunks(UTTERANCES_PER_TASK * TASKS_PER_ROUND) {
        #[cfg(feature = "rayon")]
        let tasks = round.par_chunks(UTTERANCES_PER_TASK);
        #[cfg(not(feature = "rayon"))]
        let tasks = round.chunks(UTTERANCES_PER_TASK);
        let parts: Vec<ContextSums> = tasks
            .map(|utterances| sums_of(corpus, utterances, phones))
            .collect::<Result<_, CorpusError>>()?;
        for (context, sums) in parts.into_iter().flatten() {
            match total.get_mut(&context) {
                Some(own) => own.add(&sums),
                None => {
                    total.insert(context, sums);
                }
            }
        }
    }
    Ok(total)
}

fn sums_of(
    corpus: &dyn Corpus,
    utterances: &[usize],
    phones: &Phones,
) -> Result<ContextSums, CorpusError> {
    let dims = corpus.dims();
    let mut sums = ContextSums::new();
    for &utterance in utterances {
        let (features, labels) = corpus.read(utterance)?;
        let segments = segments(&labels);
        for (place, segment) in segments.iter().enumerate() {
            let Some(phone) = phones.number(segment.label).map_err(|label| {
                CorpusError::other(StateError::UnknownPhone {
                    id: corpus.id(utterance).into(),
                    label,
                    phones: phones.len(),
                })
            })?
            else {
                continue;
            };
            let (left, right) = match phones.is_silence(phone) {
                true => (0, 0),
                false => phones.neighbours(&segments, place),
            };
            for (part, frames) in (0..).zip(thirds(&segment.frames)) {
                if frames.is_empty() {
                    continue;
                }
                let context = InContext {
                    phone: phone as u16,
                    part,
                    left: left as u16,
                    right: right as u16,
                };
                let rows = &features.as_slice()[frames.start * dims..frames.end * dims];
                let own = sums.entry(context);
                own.or_insert_with(|| Sums::new(dims)).add_frames(rows);
            }
        }
    }
    Ok(sums)
}
