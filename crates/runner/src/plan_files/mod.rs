//! Writes plans as files for other programs: JSON lines, CSV or NumPy arrays. `docs/plans.md` documents them.
//!
//! Epochs are planned and written one after the other, so memory does not grow with their number.

mod csv;
mod jsonl;
mod npz;
mod record;
mod zip;

use std::io::{self, Write};

use clap::ValueEnum;
use padwise_sampler::{PlanError, Sampler, Strategy, StrategyError};
use thiserror::Error;

use crate::lengths::Lengths;
use crate::terminal::{DelayedBar, count};
pub use record::{Epoch, Record};

/// The format of a plan file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanFormat {
    /// One JSON object per line and batch
    Jsonl,
    /// One line per utterance (or chunk) of a batch
    Csv,
    /// NumPy arrays in one file
    Npz,
}

/// What to write.
#[derive(Debug)]
pub struct PlanRequest<'a> {
    /// The strategy.
    pub strategy: &'a Strategy,
    /// The seed.
    pub seed: u64,
    /// The utterances.
    pub lengths: &'a Lengths,
    /// The number of epochs.
    pub epochs: u64,
    /// The rank whose batches are written.
    pub rank: usize,
    /// The number of ranks.
    pub world: usize,
    /// The format.
    pub format: PlanFormat,
    /// Whether to show the progress.
    pub with_progress: bool,
}

/// What was written, over all epochs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Batches written.
    pub batches: usize,
    /// Items (utterances or chunks) in no batch, because the strategy drops them.
    pub dropped_items: usize,
    /// Batches that are trained twice, so that all ranks have the same number of steps.
    pub repeated_batches: usize,
    /// Batches that no rank trains, so that all ranks have the same number of steps.
    pub dropped_batches: usize,
}

/// Why a plan cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlanFileError {
    /// The strategy is invalid.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// The strategy cannot plan these lengths.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// An epoch without batches.
    #[error(
        "epoch {epoch} has no batches ({planned} planned for {}): use smaller batches or fewer ranks, or keep batches that are not full",
        count(*.world, "rank")
    )]
    NoBatches {
        /// The epoch.
        epoch: u64,
        /// The batches of all ranks before sharding.
        planned: usize,
        /// The number of ranks.
        world: usize,
    },
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// Writes the batches of epochs in one format.
trait PlanWriter {
    /// Writes an epoch. Calls `written` after each batch.
    fn write(&mut self, epoch: &Epoch, written: &dyn Fn()) -> io::Result<()>;

    /// Writes what follows the last epoch.
    fn finish(&mut self) -> io::Result<()>;
}

/// Plans and writes all epochs.
pub fn write_plan(request: &PlanRequest, out: &mut dyn Write) -> Result<Summary, PlanFileError> {
    let &PlanRequest { lengths, world, .. } = request;
    let sampler = Sampler::new(request.strategy.clone(), request.seed)?;
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    let mut writer: Box<dyn PlanWriter> = match request.format {
        PlanFormat::Jsonl => Box::new(jsonl::JsonLines::new(&mut out)),
        PlanFormat::Csv => Box::new(csv::Table::new(&mut out)),
        PlanFormat::Npz => Box::new(npz::Arrays::new(&mut out, request)?),
    };
    let progress = request.with_progress.then(|| DelayedBar::new(0, "batches"));
    let written = || progress.iter().for_each(|bar| bar.inc(1));
    let mut summary = Summary::default();
    for epoch in 0..request.epochs {
        let plan = sampler.plan(&lengths.frames, epoch)?;
        let shard = plan.shard(request.rank, world)?;
        if shard.is_empty() {
            return Err(PlanFileError::NoBatches {
                epoch,
                planned: plan.len(),
                world,
            });
        }
        if let Some(bar) = &progress {
            let left = (request.epochs - epoch).saturating_mul(shard.len() as u64);
            bar.set_length(left.saturating_add(summary.batches as u64));
        }
        let batches = Epoch::new(epoch, &shard, &lengths.ids, request.strategy);
        writer.write(&batches, &written)?;
        summary.batches += shard.len();
        summary.dropped_items += plan.ledger().dropped().len();
        summary.repeated_batches += shard.duplicated().len();
        summary.dropped_batches += shard.dropped().len();
    }
    writer.finish()?;
    drop(writer);
    out.flush()?;
    Ok(summary)
}
