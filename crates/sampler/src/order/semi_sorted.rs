//! Semi-sorted order: by length plus noise.
//!
//! Items are sorted by x + ε with ε uniform in (−a/2, a/2), where a = (longest − shortest) · LRF. A factor of 0 gives
//! sorted order, a large factor gives random order, and padding grows smoothly in between.
//!
//! The range of lengths is exact, because the paper's figures need it. The paper's released code rounds both ends to
//! whole seconds, which gives a padding rate of 6.9 % instead of the reported 6.2 %.
//!
//! Paper: Ge et al., "Speed up training with variable length inputs by efficient batching strategies" (2021), section 2.

use super::drawn::Drawn;
use crate::radix::{Keyed, sorted_stable};
use crate::random::{Purpose, Seeds};

/// With noise of fewer steps of the sort key than this, items of equal length are no longer in random order.
const STEPS_THAT_SHUFFLE: f64 = 65_536.0;

/// The largest factor in use. Lengths are then a billionth of the noise, and the order is random. Larger factors would
/// lose first the lengths and then the noise to rounding, and the corpus order would remain.
const RANDOM_LRF: f64 = 1e9;

pub(super) fn draw(lengths: &[u32], lrf: f64, seeds: &Seeds) -> Drawn {
    let shortest = lengths.iter().copied().min().unwrap_or(0);
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let range = f64::from(longest - shortest);
    let noise = range * lrf.min(RANDOM_LRF);
    // x + ε + a/2 − shortest lies in [0, range + a) and is mapped onto all 32 bits of a key. Perturbed lengths that
    // differ by more than a four-billionth of that range keep their order.
    let scale = f64::from(u32::MAX) / (range + noise);
    // Other orders shuffle before they sort, to separate items of equal length. Here the noise separates them, and
    // reading the lengths sequentially is much faster. With almost no noise the order is sorted, which needs a shuffle.
    if range == 0.0 || noise * scale < STEPS_THAT_SHUFFLE {
        return super::sorted::draw(lengths, seeds);
    }
    let mut perturb = seeds.stream(Purpose::PERTURB);
    let perturbed = |(item, &length): (u32, &u32)| {
        let above_shortest = f64::from(length - shortest);
        let key = ((above_shortest + noise * perturb.unit()) * scale) as u32;
        Keyed { key, item }
    };
    let pairs = sorted_stable((0..).zip(lengths).map(perturbed).collect());
    Drawn::from_item_numbers(pairs.iter().map(|pair| pair.item).collect(), lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEDS: Seeds = Seeds::new(5, 2, 0);

    #[test]
    fn no_noise_is_sorted_order() {
        let lengths: Vec<u32> = (0..5000).map(|i| 1 + (i * i) % 977).collect();
        let sorted = super::super::sorted::draw(&lengths, &SEEDS);
        assert_eq!(draw(&lengths, 0.0, &SEEDS).items, sorted.items);
    }

    #[test]
    fn unlimited_noise_is_random_order() {
        let lengths: Vec<u32> = (1..=5000).collect();
        for lrf in [1e9, 1e300, 1e308, f64::MAX] {
            let drawn = draw(&lengths, lrf, &SEEDS).items;
            let in_place = (0..).zip(&drawn).filter(|&(i, &item)| i == item).count();
            assert!(in_place < 10, "{lrf}: {in_place} items did not move");
            let rising = drawn.windows(2).filter(|pair| pair[0] < pair[1]).count();
            assert!((2300..2700).contains(&rising), "{lrf}: {rising} of 4999");
        }
    }

    #[test]
    fn no_item_moves_past_one_longer_by_more_than_the_noise() {
        let lengths: Vec<u32> = (0..3000).map(|i| 100 + (i * 37) % 1001).collect();
        let drawn = draw(&lengths, 0.1, &SEEDS).lengths;
        let mut longest_before = 0;
        for length in drawn {
            assert!(longest_before <= length + 100, "{longest_before} {length}");
            longest_before = longest_before.max(length);
        }
    }
}
