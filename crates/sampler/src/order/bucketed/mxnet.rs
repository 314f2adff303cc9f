//! MXNet's default buckets: every length that occurs at least batch-size times is one (the rule that Doetsch, Golik
//! and Ney, 2017, section 3, compare with). An item longer than the largest bucket is discarded, and counted in the
//! ledger, since a corpus loses its rarest lengths, mostly the longest, without a word otherwise.

/// The boundaries, ascending; none if no length is frequent enough.
pub(super) fn boundaries(histogram: &[(u32, u64)], batch_size: u32) -> Vec<u32> {
    histogram
        .iter()
        .filter(|&&(_, count)| count >= u64::from(batch_size))
        .map(|&(length, _)| length)
        .collect()
}
