//! Warm-up: training steps on a throwaway model before timing starts.
//!
//! The largest batch comes first, so a run whose largest batch does not fit fails before it trains. On GPUs, kernels are compiled per
//! batch shape. Batches of other shapes follow, so little is left to compile during the first epoch.

use anyhow::Result;
use padwise_features::Corpus;
use padwise_model::{BackendChoice, Padding, Trainer};
use padwise_sampler::{Batch, Plan};

use crate::corpora::Supervision;
use crate::loader::assemble;
use crate::stored_batch::largest_batch;

/// Number of other shapes to warm up on a GPU.
const SHAPES: usize = 16;

/// Trains `steps` steps on the largest batch of an epoch, then on other shapes. Returns the peak device memory, which is measured here
/// because measuring takes time.
pub(super) fn train(
    mut trainer: Box<dyn Trainer>,
    corpus: &dyn Corpus,
    supervision: Supervision,
    plan: &Plan,
    padding: Padding,
    steps: u32,
) -> Result<Option<u64>> {
    let compiles = trainer.describe().backend != BackendChoice::Cpu;
    let largest = largest_batch(plan, padding)
        .into_iter()
        .cycle()
        .take(steps as usize);
    let others = if compiles { shapes(plan) } else { Vec::new() };
    trainer.watch_memory(true);
    for planned in largest.chain(others) {
        trainer.step(assemble(corpus, &planned, supervision)?)?;
    }
    trainer.take_losses()?;
    trainer.synchronise()?;
    Ok(trainer.memory().and_then(|memory| memory.peak))
}

/// Batches of up to [`SHAPES`] different shapes, from the smallest to the largest.
fn shapes(plan: &Plan) -> Vec<Batch<'_>> {
    let shape = |batch: &Batch| (batch.len(), batch.padded_length());
    let mut shapes: Vec<Batch> = plan.batches().collect();
    shapes.sort_by_key(shape);
    shapes.dedup_by_key(|batch| shape(batch));
    spread(shapes, SHAPES)
}

/// At most `most` elements, evenly spaced from the first to the last.
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
