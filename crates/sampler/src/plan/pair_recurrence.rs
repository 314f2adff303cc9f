//! Repeat pairs: the fraction of pairs in a batch that share a batch again in the next epoch.
//!
//! It measures how random a strategy is. Sorted batches repeat nearly all pairs. Random batches of size B over n items
//! repeat (B − 1) / (n − 1) of them.

use super::epoch_plan::Plan;

const IN_NO_BATCH: u32 = u32::MAX;

/// The fraction of pairs that share a batch in `plan` and again in `next`, or `None` if no batch has two items.
///
/// Both plans must have the same lengths and the same kind of items.
pub fn pair_recurrence(plan: &Plan, next: &Plan) -> Option<f64> {
    let mut batch_of = vec![IN_NO_BATCH; next.item_count()];
    for (index, batch) in (0..).zip(&next.batches) {
        for &item in &next.items[batch.range()] {
            batch_of[item as usize] = index;
        }
    }
    let (mut pairs, mut again) = (0, 0);
    for batch in &plan.batches {
        let items = plan.items[batch.range()].iter();
        let next_batches = items.filter_map(|&item| batch_of.get(item as usize).copied());
        let mut next_batches: Vec<u32> = next_batches.collect();
        pairs += pairs_among(next_batches.len());
        next_batches.sort_unstable();
        again += next_batches
            .chunk_by(|a, b| a == b)
            .filter(|same| same[0] != IN_NO_BATCH)
            .map(|same| pairs_among(same.len()))
            .sum::<u64>();
    }
    (pairs > 0).then(|| again as f64 / pairs as f64)
}

fn pairs_among(n: usize) -> u64 {
    let n = n as u64;
    n * n.saturating_sub(1) / 2
}
