//! Random numbers that are the same on every machine and in every version of this crate.
//!
//! Only the ChaCha8 keystream comes from a dependency, and its specification is fixed. The key consists of the seed, the
//! epoch, the window and the purpose. Bounded integers, unit floats and shuffles are implemented here, because
//! general-purpose crates may change theirs. Such a change would silently alter every recorded plan.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The purpose of a stream of random numbers.
///
/// Each purpose has a separate stream. Two strategies with the same seed therefore start from the same shuffle, and
/// random draws in one stage do not affect another. Purposes are part of the key: never change one, because every
/// recorded plan depends on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purpose([u8; 8]);

impl Purpose {
    /// The shuffle that every order starts from.
    const SHUFFLE: Purpose = Purpose(*b"shuffle\0");
    /// The perturbation of lengths in semi-sorted batching.
    pub(crate) const PERTURB: Purpose = Purpose(*b"perturb\0");
    /// The shuffle inside buckets.
    pub(crate) const BUCKET: Purpose = Purpose(*b"bucket\0\0");
    /// The start items and directions of smart batching.
    pub(crate) const WALK: Purpose = Purpose(*b"walk\0\0\0\0");
    /// The order of finished batches.
    pub(crate) const BATCHES: Purpose = Purpose(*b"batches\0");
    /// The division of a corpus over workers.
    pub(crate) const PORTIONS: Purpose = Purpose(*b"portions");
}

/// The seed, the epoch and the window of a stream (0 for a plan), which determine every random stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeds {
    pub seed: u64,
    pub epoch: u64,
    pub window: u64,
}

impl Seeds {
    pub(crate) const fn new(seed: u64, epoch: u64, window: u64) -> Self {
        Seeds {
            seed,
            epoch,
            window,
        }
    }

    pub(crate) fn stream(&self, purpose: Purpose) -> RandomStream {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..16].copy_from_slice(&self.epoch.to_le_bytes());
        key[16..24].copy_from_slice(&self.window.to_le_bytes());
        key[24..].copy_from_slice(&purpose.0);
        RandomStream(ChaCha8Rng::from_seed(key))
    }

    /// The numbers 0..n in random order.
    pub(crate) fn permutation(&self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        self.stream(Purpose::SHUFFLE).shuffle(&mut order);
        order
    }
}

/// One stream of random numbers.
pub(crate) struct RandomStream(ChaCha8Rng);

impl RandomStream {
    /// A uniformly distributed integer below `n`, which must not be 0 (Lemire's multiply-and-reject method).
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        let mut product = u64::from(self.0.next_u32()) * u64::from(n);
        if (product as u32) < n {
            let reject_under = n.wrapping_neg() % n;
            while (product as u32) < reject_under {
                product = u64::from(self.0.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// A uniformly distributed number in [0, 1) with 53 random bits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// The Fisher–Yates shuffle.
    pub(crate) fn shuffle<T>(&mut self, slice: &mut [T]) {
        for i in (1..slice.len()).rev() {
            let j = self.below(i as u32 + 1) as usize;
            slice.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permutation_of_four_is_about_equally_likely() {
        let mut counts = std::collections::HashMap::new();
        for seed in 0..24_000 {
            let order = Seeds::new(seed, 0, 0).permutation(4);
            *counts.entry(order).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        // The expected count is 1,000, and five standard deviations are 155.
        assert!(
            counts.values().all(|&c| (845..=1155).contains(&c)),
            "{counts:?}"
        );
    }
}
