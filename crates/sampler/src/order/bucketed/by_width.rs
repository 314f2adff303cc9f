//! Buckets of equal width: a boundary at every multiple of N frames.
//!
//! MXNet users often set such boundaries by hand (Doetsch, Golik and Ney, 2017, section 3 and figure 1). The widest bucket
//! includes the longest item, so nothing is dropped. The boundaries do not depend on the distribution of lengths.

/// The boundaries of the buckets that contain an item, ascending.
pub(super) fn boundaries(histogram: &[(u32, u64)], width: u32) -> Vec<u32> {
    let mut boundaries: Vec<u32> = histogram
        .iter()
        .map(|&(length, _)| length.next_multiple_of(width))
        .collect();
    boundaries.dedup();
    boundaries
}
