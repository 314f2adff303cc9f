//! Alternated order: bins of shuffled items, sorted alternately up and down.
//!
//! Every epoch: shuffle, cut into N bins of equal size, sort the first bin ascending, the second descending, and so
//! on. Then cut consecutive batches. Neighbouring bins meet at similar lengths, so batches that span two bins also need
//! little padding. One bin gives sorted order; as many bins as batches give nearly random order.
//!
//! Bin i contains positions ⌊i·n/N⌋ to ⌊(i+1)·n/N⌋ of the shuffle, as in RETURNN. With at least as many bins as items,
//! the order is random. Sorting is stable in both directions.
//!
//! An odd number of bins ends an epoch with long items, an even number with short ones. With few bins this matters: a
//! model that is validated after short sequences can score noticeably worse.
//!
//! Paper: Doetsch, Golik and Ney, "A comparative study of batch construction strategies for recurrent neural networks
//! in MXNet" (2017), section 4. RETURNN calls this order `laplace`.

use super::drawn::Drawn;
use crate::radix::{Keyed, keyed_by_length, sort_stable};
use crate::random::Seeds;

pub(super) fn draw(lengths: &[u32], bins: u32, seeds: &Seeds) -> Drawn {
    let n = lengths.len() as u64;
    if u64::from(bins) >= n {
        return super::random::draw(lengths, seeds);
    }
    let mut pairs = keyed_by_length(&seeds.permutation(lengths.len()), lengths);
    let mut scratch = vec![Keyed::default(); pairs.len().div_ceil(bins as usize)];
    let bin_end = |bin: u64| ((bin + 1) * n / u64::from(bins)) as usize;
    let mut start = 0;
    for bin in 0..u64::from(bins) {
        let end = bin_end(bin);
        let slice = &mut pairs[start..end];
        // A stable descending sort is an ascending sort by the complement of the key.
        let complement = if bin % 2 == 0 { 0 } else { u32::MAX };
        slice.iter_mut().for_each(|pair| pair.key ^= complement);
        sort_stable(slice, &mut scratch);
        slice.iter_mut().for_each(|pair| pair.key ^= complement);
        start = end;
    }
    drop(scratch);
    Drawn::one_group(&pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEDS: Seeds = Seeds::new(1, 0, 0);

    #[test]
    fn bins_are_returnns_and_alternate_up_and_down() {
        let lengths: Vec<u32> = (0..10).map(|i| 10 + i * 7 % 10).collect();
        let drawn = draw(&lengths, 3, &SEEDS);
        let shuffled = SEEDS.permutation(10);
        for (bin, range) in [0..3, 3..6, 6..10].into_iter().enumerate() {
            let mut expected: Vec<u32> = shuffled[range.clone()].to_vec();
            expected.sort_by_key(|&i| lengths[i as usize]);
            if bin == 1 {
                expected.reverse();
            }
            assert_eq!(drawn.items[range], expected, "bin {bin}");
        }
    }

    #[test]
    fn descending_bins_are_stable_too() {
        let lengths = [5u32; 8];
        assert_eq!(draw(&lengths, 2, &SEEDS).items, SEEDS.permutation(8));
    }

    #[test]
    fn more_bins_than_items_give_random_order() {
        assert_eq!(draw(&[3, 1, 2], 1000, &SEEDS).items, SEEDS.permutation(3));
    }
}
