//! The sampler, which turns lengths into the plan of an epoch.

use super::cut::draw_batches;
use super::epoch_plan::Plan;
use super::item_table::ItemTable;
use super::ledger::{DropReason, Ledger};
use super::span::{Span, arrange};
use crate::bounds::{MAX_ITEMS, MAX_LENGTH};
use crate::error::{PlanError, StrategyError};
use crate::random::Seeds;
use crate::settings::LastBatch;
use crate::strategy::Strategy;

/// A strategy with a seed. It turns lengths into the plan of an epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampler {
    strategy: Strategy,
    seed: u64,
}

/// The progress of training: the epoch and the next batch.
///
/// To resume, a checkpoint needs only the position, the strategy, the seed and the lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Position {
    /// The epoch, from 0.
    pub epoch: u64,
    /// The next batch of that epoch, from 0.
    pub batch: usize,
}

impl Sampler {
    /// Creates a sampler. Returns an error if the strategy is invalid.
    pub fn new(strategy: Strategy, seed: u64) -> Result<Self, StrategyError> {
        strategy.validate()?;
        Ok(Sampler { strategy, seed })
    }

    /// Plans one epoch. `lengths[i]` is the number of frames of sequence `i`.
    ///
    /// The plan is a pure function of the lengths, the strategy, the seed and the epoch, and the same on every machine.
    pub fn plan(&self, lengths: &[u32], epoch: u64) -> Result<Plan, PlanError> {
        check_lengths(lengths)?;
        let Sampler { strategy, seed } = self;
        let table = ItemTable::new(strategy.items, lengths)?;
        let seeds = Seeds::new(*seed, epoch, 0);
        let longest = table.lengths.iter().copied().max().unwrap_or(0);
        let (drawn, batches) = draw_batches(strategy, &table.lengths, longest, &seeds)?;
        let mut plan = Plan {
            epoch,
            last_batch: strategy.last_batch,
            items: drawn.items,
            lengths: drawn.lengths,
            origins: table.origins,
            batches,
            ledger: Ledger {
                sequences: lengths.len(),
                items: table.lengths.len() + table.dropped.len(),
                dropped: table.dropped,
                oversized: Vec::new(),
            },
        };
        for &number in &drawn.too_long {
            let item = plan.item(number, table.lengths[number as usize]);
            plan.ledger.drop(item, DropReason::LongerThanLargestBucket);
        }
        if plan.last_batch == LastBatch::Drop {
            let is_short = |batch: &&Span| !batch.is_full;
            let short: Vec<Span> = plan.batches.iter().filter(is_short).copied().collect();
            plan.batches.retain(|batch| batch.is_full);
            for item in plan.items_of(&short) {
                plan.ledger.drop(item, DropReason::LastBatch);
            }
        }
        let oversized = plan.batches.iter().copied().filter(|b| b.is_oversized);
        plan.ledger.oversized = plan.items_of(&oversized.collect::<Vec<_>>());
        arrange(&mut plan.batches, strategy.batch_order, &seeds);
        Ok(plan)
    }

    /// Plans the epoch in which training stopped. The remaining batches are `plan.batches_from(position.batch)`.
    ///
    /// Returns an error if the position lies beyond the end of the plan.
    pub fn resume(&self, lengths: &[u32], position: Position) -> Result<Plan, PlanError> {
        let plan = self.plan(lengths, position.epoch)?;
        let (batch, batches) = (position.batch, plan.len());
        if batch > batches {
            return Err(PlanError::NoSuchBatch { batch, batches });
        }
        Ok(plan)
    }
}

fn check_lengths(lengths: &[u32]) -> Result<(), PlanError> {
    let items = lengths.len() as u64;
    if items == 0 {
        return Err(PlanError::Empty);
    }
    if items > MAX_ITEMS as u64 {
        return Err(PlanError::TooManyItems { items });
    }
    let wrong = |&(_, length): &(usize, u32)| !(1..=MAX_LENGTH).contains(&length);
    match lengths.iter().copied().enumerate().find(wrong) {
        None => Ok(()),
        Some((index, 0)) => Err(PlanError::ZeroLength { index }),
        Some((index, length)) => Err(PlanError::LengthTooLarge { index, length }),
    }
}
