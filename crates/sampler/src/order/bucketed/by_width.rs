//! Buckets of equal width: boundaries at every multiple of a number of frames, as users of MXNet give them
//! (Doetsch, Golik and Ney, 2017, section 3 and figure 1). The widest bucket reaches past the longest item, so that
//! nothing is dropped. Easy to state, and blind to where the lengths are.

/// The boundaries that an item lies below, ascending.
pub(super) fn boundaries(histogram: &[(u32, u64)], width: u32) -> Vec<u32> {
    let mut boundaries: Vec<u32> = histogram
        .iter()
        .map(|&(length, _)| length.next_multiple_of(width))
        .collect();
    boundaries.dedup();
    boundaries
}
