//! A stable sort of (key, item) pairs by a 32-bit key.
//!
//! Planning ten million lengths should take about as long as sorting them. Orders sort by length, or by length plus
//! noise. A radix sort over the bits in which the keys differ needs one to three passes. It is stable, so items of
//! equal length keep their random order.

/// An item and its sort key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keyed {
    pub key: u32,
    pub item: u32,
}

/// The maximum number of bits per pass. With more, a pass writes to more places than the caches can track.
const DIGIT_BITS: u32 = 12;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Up to this size, the standard library's merge sort is faster than the histogram of one pass.
const SMALL: usize = 2048;

/// Above this size, the pairs do not fit into the cache, and every pass is limited by memory bandwidth.
const LARGE: usize = 1 << 17;

/// Returns the pairs sorted by key. Pairs with equal keys keep their order.
pub(crate) fn sorted_stable(mut pairs: Vec<Keyed>) -> Vec<Keyed> {
    let mut scratch = vec![Keyed::default(); pairs.len()];
    match sort_into_either(&mut pairs, &mut scratch) {
        Place::Pairs => pairs,
        Place::Scratch => scratch,
    }
}

/// Sorts `pairs` by key. Pairs with equal keys keep their order. `scratch` must be at least as long as `pairs`.
pub(crate) fn sort_stable(pairs: &mut [Keyed], scratch: &mut [Keyed]) {
    let scratch = &mut scratch[..pairs.len()];
    if sort_into_either(pairs, scratch) == Place::Scratch {
        pairs.copy_from_slice(scratch);
    }
}

/// The slice that contains the sorted pairs after the last pass.
#[derive(PartialEq)]
enum Place {
    Pairs,
    Scratch,
}

fn sort_into_either(pairs: &mut [Keyed], scratch: &mut [Keyed]) -> Place {
    if pairs.len() <= SMALL {
        pairs.sort_by_key(|p| p.key);
        return Place::Pairs;
    }
    let lowest = pairs.iter().map(|p| p.key).min().unwrap_or(0);
    let highest = pairs.iter().map(|p| p.key).max().unwrap_or(0);
    let bits = u32::BITS - (highest - lowest).leading_zeros();
    if pairs.len() > LARGE && bits > DIGIT_BITS {
        sort_by_parts(pairs, scratch, lowest, bits);
        return Place::Pairs;
    }
    let passes = bits.div_ceil(DIGIT_BITS);
    let digit_bits = bits.div_ceil(passes.max(1));
    let (mut from, mut to) = (pairs, scratch);
    for pass in 0..passes {
        scatter(from, to, digit(lowest, pass * digit_bits, digit_bits));
        std::mem::swap(&mut from, &mut to);
    }
    if passes % 2 == 0 {
        Place::Pairs
    } else {
        Place::Scratch
    }
}

/// Sorts by the highest digit first, then sorts each part, which fits into the cache.
fn sort_by_parts(pairs: &mut [Keyed], scratch: &mut [Keyed], lowest: u32, bits: u32) {
    let ends = scatter(pairs, scratch, digit(lowest, bits - DIGIT_BITS, DIGIT_BITS));
    let mut start = 0;
    for end in ends {
        let part = start..end as usize;
        start = part.end;
        let (sorted, scattered) = (&mut pairs[part.clone()], &mut scratch[part]);
        if sort_into_either(scattered, sorted) == Place::Pairs {
            sorted.copy_from_slice(scattered);
        }
    }
}

/// Extracts bits of a key relative to the lowest key.
fn digit(lowest: u32, shift: u32, bits: u32) -> impl Fn(&Keyed) -> usize {
    move |pair| ((pair.key - lowest) >> shift) as usize & ((1 << bits) - 1)
}

/// Moves all pairs to the place of their digit. Returns the end of each digit's run.
fn scatter(from: &[Keyed], to: &mut [Keyed], digit: impl Fn(&Keyed) -> usize) -> [u32; DIGITS] {
    let mut next = [0u32; DIGITS];
    for pair in from {
        next[digit(pair)] += 1;
    }
    let mut start = 0;
    for slot in &mut next {
        start += std::mem::replace(slot, start);
    }
    for pair in from {
        let slot = &mut next[digit(pair)];
        to[*slot as usize] = *pair;
        *slot += 1;
    }
    next
}

/// The items in the given order, each with its length as the key.
pub(crate) fn keyed_by_length(order: &[u32], lengths: &[u32]) -> Vec<Keyed> {
    let keyed = |&item: &u32| {
        let key = lengths[item as usize];
        Keyed { key, item }
    };
    order.iter().map(keyed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    #[test]
    fn large_arrays_are_sorted_by_parts() {
        let key = |i: u32| i.wrapping_mul(2_654_435_761) ^ if i % 7 == 0 { u32::MAX } else { 0 };
        for spread in [u32::MAX, 1 << 20, 1 << 13, 100] {
            let pairs: Vec<Keyed> = (0..300_000)
                .map(|item| Keyed {
                    key: key(item) % spread,
                    item,
                })
                .collect();
            let mut expected = pairs.clone();
            expected.sort_by_key(|p| p.key);
            assert!(sorted_stable(pairs) == expected, "{spread}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 64,
            rng_seed: RngSeed::Fixed(0),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn equals_the_standard_stable_sort(
            keys in prop::collection::vec(prop_oneof![0u32..5, 0u32..4000, any::<u32>()], 0..9000)
        ) {
            let mut pairs: Vec<Keyed> = keys.iter().zip(0..).map(|(&key, item)| Keyed { key, item }).collect();
            let mut expected = pairs.clone();
            expected.sort_by_key(|p| p.key);
            prop_assert_eq!(&sorted_stable(pairs.clone()), &expected);
            let mut scratch = vec![Keyed::default(); pairs.len() + 3];
            sort_stable(&mut pairs, &mut scratch);
            prop_assert_eq!(pairs, expected);
        }
    }
}
