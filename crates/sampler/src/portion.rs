//! Portions: the sequences of one worker in one epoch, for workers that train apart and average their models afterwards.
//!
//! Every epoch, all sequences are shuffled and dealt to the workers (Khomenko et al., 2016). A worker plans its own portion with a
//! [`Sampler`](crate::Sampler). Every worker can compute this without communication. Workers that average gradients at each step
//! need [`Plan::shard`](crate::Plan::shard) instead.

use crate::bounds::MAX_WORLD;
use crate::error::PlanError;
use crate::random::{Purpose, Seeds};

/// The sequences of worker `rank` of `world` in an epoch, in increasing order. `sequences` is their number in the corpus.
///
/// The portions of an epoch are disjoint, and their sizes differ by one at most. One worker gets all sequences.
///
/// ```
/// let portions: Vec<_> = (0..3).map(|rank| padwise_sampler::portion(7, 1, 0, rank, 3)).collect::<Result<_, _>>()?;
/// assert_eq!(portions.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2, 2]);
/// # Ok::<(), padwise_sampler::PlanError>(())
/// ```
pub fn portion(
    sequences: usize,
    seed: u64,
    epoch: u64,
    rank: usize,
    world: usize,
) -> Result<Vec<usize>, PlanError> {
    if rank >= world {
        return Err(PlanError::NoSuchRank { rank, world });
    }
    if world > MAX_WORLD {
        return Err(PlanError::WorldTooLarge { world });
    }
    let mut order: Vec<usize> = (0..sequences).collect();
    Seeds::new(seed, epoch, 0)
        .stream(Purpose::PORTIONS)
        .shuffle(&mut order);
    let mut own: Vec<usize> = order.into_iter().skip(rank).step_by(world).collect();
    own.sort_unstable();
    Ok(own)
}

/// The seed with which worker `rank` plans its portion: that of the run for rank 0, another one for every other rank.
pub fn portion_seed(seed: u64, rank: usize) -> u64 {
    seed ^ (rank as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn portions_are_disjoint_complete_and_of_equal_size(
            sequences in 0..200usize, seed: u64, epoch in 0..5u64, world in 1..9usize,
        ) {
            let portions: Vec<_> = (0..world)
                .map(|rank| portion(sequences, seed, epoch, rank, world).expect("a portion"))
                .collect();
            for own in &portions {
                prop_assert!(own.is_sorted());
                prop_assert!(own.len().abs_diff(sequences / world) <= 1);
            }
            let mut all = portions.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..sequences).collect::<Vec<_>>());
        }
    }

    #[test]
    fn portions_differ_between_epochs_and_seeds() {
        let own = |seed, epoch| portion(100, seed, epoch, 0, 2).expect("a portion");
        assert_ne!(own(1, 0), own(1, 1));
        assert_ne!(own(1, 0), own(2, 0));
        assert_eq!(own(1, 0), own(1, 0));
    }

    #[test]
    fn ranks_outside_the_world_are_errors() {
        assert!(matches!(
            portion(5, 1, 0, 2, 2),
            Err(PlanError::NoSuchRank { rank: 2, world: 2 })
        ));
        assert!(matches!(
            portion(5, 1, 0, 0, MAX_WORLD + 1),
            Err(PlanError::WorldTooLarge { .. })
        ));
    }

    #[test]
    fn the_first_rank_plans_with_the_seed_of_the_run() {
        assert_eq!(portion_seed(7, 0), 7);
        assert_ne!(portion_seed(7, 1), portion_seed(7, 2));
    }
}
