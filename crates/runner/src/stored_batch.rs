//! The batch that needs the most memory. It depends on how batches are stored: padding takes no memory in packed ones.

use padwise_model::Padding;
use padwise_recommend::cost::BatchShape;
use padwise_sampler::{Batch, Plan, Stats};

/// The frames of a batch that take memory.
pub fn stored_frames(batch: Batch<'_>, padding: Padding) -> u64 {
    BatchShape::from(batch).stored_frames(padding)
}

/// The frames of an epoch that are computed.
pub fn stored_in_epoch(stats: &Stats, padding: Padding) -> u64 {
    match padding {
        Padding::Padded => stats.padded_frames,
        Padding::Packed => stats.valid_frames + (stats.items - stats.dropped) as u64,
    }
}

/// The batch of a plan that needs the most memory.
pub fn largest_batch(plan: &Plan, padding: Padding) -> Option<Batch<'_>> {
    match padding {
        Padding::Padded => plan.largest_batch(),
        Padding::Packed => plan
            .batches()
            .max_by_key(|&batch| stored_frames(batch, padding)),
    }
}

#[cfg(test)]
mod tests {
    use padwise_sampler::{Sampler, Strategy};

    use super::*;

    #[test]
    fn the_largest_packed_batch_has_the_most_frames() {
        let lengths: Vec<u32> = (0..40).map(|at| 1 + at * at % 97).collect();
        let random = Strategy::parse("random", 3).expect("a strategy");
        let mut differs = false;
        for seed in 0..10 {
            let sampler = Sampler::new(random.clone(), seed).expect("a sampler");
            let plan = sampler.plan(&lengths, 0).expect("a plan");
            let frames = |padding| {
                let batch = largest_batch(&plan, padding).expect("a batch");
                (batch.padded_frames(), stored_frames(batch, Padding::Packed))
            };
            let (padded, packed) = (frames(Padding::Padded), frames(Padding::Packed));
            assert!(padded.0 >= packed.0 && packed.1 >= padded.1);
            differs |= padded != packed;
        }
        assert!(differs, "there is something to choose");
    }
}
