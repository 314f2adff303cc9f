//! A stable sort of (key, item) pairs by a 32-bit key.
//!
//! Planning ten million lengths should cost about what sorting them costs. Orders sort by length, or by a length
//! with noise, so a radix sort over only those bits in which the keys differ does it in one to three passes; and
//! being stable, it leaves items of equal length in the random order in which they came.

/// An item and what it is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keyed {
    pub key: u32,
    pub item: u32,
}

const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Below this the histogram of a pass costs more than the standard library's merge sort.
const SMALL: usize = 2048;

/// Sorts `pairs` by key; pairs of equal key keep their order. `scratch` must be as long as `pairs`.
pub(crate) fn sort_stable(pairs: &mut [Keyed], scratch: &mut [Keyed]) {
    if pairs.len() <= SMALL {
        pairs.sort_by_key(|p| p.key);
        return;
    }
    let lowest = pairs.iter().map(|p| p.key).min().unwrap_or(0);
    let highest = pairs.iter().map(|p| p.key).max().unwrap_or(0);
    let bits = u32::BITS - (highest - lowest).leading_zeros();

    let mut from = &mut pairs[..];
    let mut to = &mut scratch[..from.len()];
    let mut passes = 0;
    for shift in (0..bits).step_by(DIGIT_BITS as usize) {
        let digit = |p: &Keyed| ((p.key - lowest) >> shift) as usize & (DIGITS - 1);
        let mut next = [0u32; DIGITS];
        for pair in from.iter() {
            next[digit(pair)] += 1;
        }
        let mut start = 0;
        for slot in &mut next {
            start += std::mem::replace(slot, start);
        }
        for pair in from.iter() {
            let slot = &mut next[digit(pair)];
            to[*slot as usize] = *pair;
            *slot += 1;
        }
        std::mem::swap(&mut from, &mut to);
        passes += 1;
    }
    if passes % 2 == 1 {
        // The sorted pairs lie in the caller's scratch: bring them home.
        to.copy_from_slice(from);
    }
}

/// The items, each with its own length as key, in the order given.
pub(crate) fn keyed_by_length(order: &[u32], lengths: &[u32]) -> Vec<Keyed> {
    order
        .iter()
        .map(|&item| Keyed {
            key: lengths[item as usize],
            item,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(0), failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn equals_the_standard_stable_sort(
            keys in prop::collection::vec(prop_oneof![0u32..5, 0u32..4000, any::<u32>()], 0..9000)
        ) {
            let mut pairs: Vec<Keyed> = keys.iter().zip(0..).map(|(&key, item)| Keyed { key, item }).collect();
            let mut expected = pairs.clone();
            expected.sort_by_key(|p| p.key);
            let mut scratch = vec![Keyed::default(); pairs.len()];
            sort_stable(&mut pairs, &mut scratch);
            prop_assert_eq!(pairs, expected);
        }
    }
}
