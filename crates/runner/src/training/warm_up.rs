//! What a run does before its clock starts: steps with a model that is then thrown away.
//!
//! The largest batch comes first, so that one that does not fit is found before the first is trained. Where kernels are compiled, which
//! ones depends on a batch's shape; so batches of many shapes follow, and little or nothing is left to compile in the first epoch.

use anyhow::Result;
use padwise_model::Trainer;
use padwise_sampler::{Batch, Plan};

use crate::corpora::Split;
use crate::loader::{Teach, assemble};

/// How many shapes a device that compiles gets to see.
const SHAPES: usize = 16;

/// What to train on beforehand.
pub(super) struct WarmUp<'plan> {
    /// The largest batch, as often as was asked for.
    largest: Vec<Batch<'plan>>,
    /// Batches of other shapes, for devices that compile.
    shapes: Vec<Batch<'plan>>,
}

/// The batches of an epoch that a run with so many warm-up steps begins with; none, if it wants no steps.
pub(super) fn batches(plan: &Plan, steps: u32) -> WarmUp<'_> {
    let Some(largest) = plan.worst_batch().filter(|_| steps > 0) else {
        return WarmUp {
            largest: Vec::new(),
            shapes: Vec::new(),
        };
    };
    let shape = |batch: &Batch| (batch.len(), batch.padded_length());
    let mut shapes: Vec<Batch> = plan.batches().collect();
    shapes.sort_by_key(shape);
    shapes.dedup_by_key(|batch| shape(batch));
    WarmUp {
        largest: vec![largest; steps as usize],
        shapes: spread(shapes, SHAPES),
    }
}

/// At most so many of them, from the first to the last at even distances.
fn spread<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let last = all.len().saturating_sub(1);
    let count = all.len().min(most);
    let mut wanted = (0..count)
        .map(|index| (index * last).checked_div(count - 1).unwrap_or(0))
        .peekable();
    let chosen = all.into_iter().enumerate();
    chosen
        .filter_map(|(index, item)| wanted.next_if_eq(&index).map(|_| item))
        .collect()
}

/// Trains on them and gives the most memory that the device had in use, which is watched here because watching takes time.
pub(super) fn train(
    trainer: impl FnOnce() -> Result<Box<dyn Trainer>>,
    split: &Split,
    teach: Teach,
    batches: WarmUp,
) -> Result<Option<u64>> {
    if batches.largest.is_empty() {
        return Ok(None);
    }
    let mut trainer = trainer()?;
    let shapes = if trainer.describe().backend == "cpu" {
        Vec::new()
    } else {
        batches.shapes
    };
    trainer.watch_memory(true);
    for planned in batches.largest.into_iter().chain(shapes) {
        trainer.step(assemble(split.training.as_ref(), &planned, teach)?)?;
    }
    trainer.take_losses()?;
    trainer.synchronise()?;
    Ok(trainer.memory().and_then(|memory| memory.peak))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_spread_from_the_first_to_the_last() {
        assert_eq!(spread((0..100).collect(), 4), [0, 33, 66, 99]);
        assert_eq!(spread((0..3).collect(), 4), [0, 1, 2]);
        assert_eq!(spread(vec![7], 4), [7]);
        assert_eq!(spread((0..5).collect(), 1), [0]);
        assert!(spread(Vec::<u8>::new(), 4).is_empty());
    }
}
