//! Alternated sorting: the proposal of Doetsch, Golik and Ney, "A comparative study of batch construction
//! strategies for recurrent neural networks in MXNet" (2017), section 4. RETURNN calls it `laplace`.
//!
//! Every epoch: shuffle, cut into N bins of equal size, sort the first bin ascending, the second descending, and so
//! on, then draw consecutive batches. Neighbouring bins meet at similar lengths, so batches that span two of them
//! need little padding either. One bin is sorted order; as many bins as batches is nearly random.
//!
//! The cut is RETURNN's: bin i holds positions ⌊i·n/N⌋ to ⌊(i+1)·n/N⌋ of the shuffle. With at least as many bins as
//! items no bin holds two, which is no error but random order. Sorting is stable in both directions.
//!
//! An odd number of bins ends an epoch with long items, an even number with short ones. Where few bins are used that matters: a model
//! that is validated after short sequences may do markedly worse.

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
        // A stable descending sort: the complement of the key, ascending.
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
    fn bins_rise_and_fall_in_turn_and_are_returnns() {
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
    fn more_bins_than_items_is_no_error() {
        assert_eq!(draw(&[3, 1, 2], 1000, &SEEDS).items, SEEDS.permutation(3));
    }
}
