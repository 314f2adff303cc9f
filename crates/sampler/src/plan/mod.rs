//! The plan of one epoch: which items make up which batch, how long each batch is padded, and where every item went.

mod batch;
mod ledger;
mod recurrence;
mod shard;
mod stats;

use serde::{Deserialize, Serialize};

use crate::batching::LastBatch;
use crate::error::{PlanError, StrategyError};
use crate::items::{Item, Origin};
use crate::order::Drawn;
use crate::random::Seeds;
use crate::strategy::Strategy;

pub use batch::Batch;
pub(crate) use batch::Span;
pub use ledger::{DropReason, Dropped, Ledger};
pub use recurrence::pair_recurrence;
pub use shard::Shard;
pub use stats::Stats;

/// The most frames of an utterance. One less bit than a u32 has, so that rounding up cannot overflow.
pub(crate) const MAX_LENGTH: u32 = i32::MAX as u32;

/// The most items of a plan.
pub(crate) const MAX_ITEMS: usize = i32::MAX as usize;

/// The most ranks that a plan is dealt to.
pub(crate) const MAX_WORLD: usize = 1 << 20;

/// A strategy with a seed: turns lengths into the plan of any epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampler {
    strategy: Strategy,
    seed: u64,
}

/// Where training stands: which batch comes next, in which epoch. Together with the strategy, the seed and the
/// lengths this is all there is to resume from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// The epoch, from 0.
    pub epoch: u64,
    /// The next batch of that epoch, from 0.
    pub batch: usize,
}

/// The batches of one epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    epoch: u64,
    last_batch: LastBatch,
    /// Item numbers in drawing order.
    order: Vec<u32>,
    /// The length of each, in the same order.
    lengths: Vec<u32>,
    /// By item number, where items are chunks.
    origins: Option<Vec<Origin>>,
    batches: Vec<Span>,
    ledger: Ledger,
}

impl Sampler {
    /// A sampler, or the reason why the strategy cannot be followed.
    pub fn new(strategy: Strategy, seed: u64) -> Result<Self, StrategyError> {
        strategy.validate()?;
        Ok(Sampler { strategy, seed })
    }

    /// The strategy.
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The plan of one epoch: a pure function of the lengths, the strategy, the seed and the epoch, the same on
    /// every machine. `lengths[i]` is the number of frames of utterance `i`.
    pub fn plan(&self, lengths: &[u32], epoch: u64) -> Result<Plan, PlanError> {
        check_lengths(lengths)?;
        let table = self.strategy.items.table(lengths)?;
        let seeds = Seeds {
            seed: self.seed,
            epoch,
            window: 0,
        };
        let longest = table.lengths.iter().copied().max().unwrap_or(0);
        let Drawn { groups, batches } = draw(&self.strategy, &table.lengths, longest, &seeds)?;
        let mut plan = Plan {
            epoch,
            last_batch: self.strategy.last_batch,
            order: groups.order,
            lengths: groups.lengths,
            origins: table.origins,
            batches,
            ledger: Ledger {
                utterances: lengths.len(),
                items: table.lengths.len() + table.dropped.len(),
                dropped: table.dropped,
                oversized: Vec::new(),
            },
        };
        for number in groups.too_long {
            let item = plan.item(number, table.lengths[number as usize]);
            plan.ledger
                .drop_item(item, DropReason::LongerThanLargestBucket);
        }
        plan.settle_last_batches();
        plan.report_oversized();
        self.strategy.batch_order.arrange(&mut plan.batches, &seeds);
        Ok(plan)
    }

    /// The plan of the epoch in which training stopped, after checking that its next batch exists: the batches to
    /// go are `plan.batches_from(position.batch)`.
    pub fn resume(&self, lengths: &[u32], position: Position) -> Result<Plan, PlanError> {
        let plan = self.plan(lengths, position.epoch)?;
        if position.batch > plan.len() {
            return Err(PlanError::NoSuchBatch {
                batch: position.batch,
                batches: plan.len(),
            });
        }
        Ok(plan)
    }
}

/// Draws the items of these lengths, the longest item of the whole corpus being `longest`.
pub(crate) fn draw(
    strategy: &Strategy,
    lengths: &[u32],
    longest: u32,
    seeds: &Seeds,
) -> Result<Drawn, PlanError> {
    strategy.order.draw(
        lengths,
        longest,
        seeds,
        &strategy.batching,
        strategy.padding,
    )
}

pub(crate) fn check_lengths(lengths: &[u32]) -> Result<(), PlanError> {
    if lengths.is_empty() {
        return Err(PlanError::Empty);
    }
    if lengths.len() > MAX_ITEMS {
        return Err(PlanError::TooManyItems {
            items: lengths.len() as u64,
        });
    }
    match lengths.iter().position(|l| !(1..=MAX_LENGTH).contains(l)) {
        None => Ok(()),
        Some(index) if lengths[index] == 0 => Err(PlanError::ZeroLength { index }),
        Some(index) => Err(PlanError::LengthTooLarge {
            index,
            length: lengths[index],
        }),
    }
}

impl Plan {
    /// The epoch that this is the plan of.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The number of batches.
    pub fn len(&self) -> usize {
        self.batches.len()
    }

    /// Whether there is no batch, as when every item was dropped.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// One batch, by its place in the epoch.
    pub fn batch(&self, index: usize) -> Option<Batch<'_>> {
        let span = *self.batches.get(index)?;
        Some(Batch::new(self, index, span))
    }

    /// All batches, in the order in which they are trained.
    pub fn batches(&self) -> impl ExactSizeIterator<Item = Batch<'_>> {
        self.batches_from(0)
    }

    /// The batches from this one on: what is left of an epoch that was interrupted.
    pub fn batches_from(&self, index: usize) -> impl ExactSizeIterator<Item = Batch<'_>> {
        let index = index.min(self.batches.len());
        self.batches[index..]
            .iter()
            .enumerate()
            .map(move |(i, &span)| Batch::new(self, index + i, span))
    }

    /// The batch with the most padded frames, which decides how much memory an epoch needs; of several, the one
    /// with the longest items.
    pub fn worst_batch(&self) -> Option<Batch<'_>> {
        self.batches().max_by_key(|b| {
            (
                b.padded_frames(),
                b.padded_length(),
                std::cmp::Reverse(b.index()),
            )
        })
    }

    /// Where every item went.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// One more than the largest item number: chunks too short to keep have none.
    fn item_numbers(&self) -> usize {
        self.origins
            .as_ref()
            .map_or(self.ledger.utterances, Vec::len)
    }

    fn item(&self, number: u32, length: u32) -> Item {
        match &self.origins {
            None => Item {
                utterance: number as usize,
                start: 0,
                length,
            },
            Some(origins) => {
                let origin = origins[number as usize];
                Item {
                    utterance: origin.utterance as usize,
                    start: origin.start,
                    length,
                }
            }
        }
    }

    fn items_of(&self, span: Span) -> impl ExactSizeIterator<Item = Item> {
        self.order[span.range()]
            .iter()
            .zip(&self.lengths[span.range()])
            .map(|(&number, &length)| self.item(number, length))
    }

    fn settle_last_batches(&mut self) {
        if self.last_batch == LastBatch::Keep {
            return;
        }
        let all = std::mem::take(&mut self.batches);
        let (full, short): (Vec<Span>, Vec<Span>) = all.into_iter().partition(|b| b.is_full);
        for item in short
            .iter()
            .flat_map(|&b| self.items_of(b))
            .collect::<Vec<_>>()
        {
            self.ledger.drop_item(item, DropReason::LastBatch);
        }
        self.batches = full;
    }

    fn report_oversized(&mut self) {
        self.ledger.oversized = self
            .batches
            .iter()
            .filter(|b| b.is_oversized())
            .flat_map(|&b| self.items_of(b))
            .collect();
    }
}
