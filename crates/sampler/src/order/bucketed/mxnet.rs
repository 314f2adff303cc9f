//! MXNet's default buckets: one for every length that occurs at least batch-size times.
//!
//! Items longer than the largest bucket are dropped. MXNet drops them silently; here the ledger counts them.
//!
//! Paper: the baseline of Doetsch, Golik and Ney (2017), section 3.

/// The boundaries, ascending. The list is empty if no length is frequent enough.
pub(super) fn boundaries(histogram: &[(u32, u64)], batch_size: u32) -> Vec<u32> {
    histogram
        .iter()
        .filter(|&&(_, count)| count >= u64::from(batch_size))
        .map(|&(length, _)| length)
        .collect()
}
