//! Optimal buckets: the Q boundaries that minimise the padding to bucket widths.
//!
//! The paper's dynamic programme takes O(Q·D²) steps for D distinct lengths; this one takes O(Q·D). Let N(i) be the
//! number of items no longer than the i-th length l(i). Then
//!
//! ```text
//! best(q, i) = min over j < i of  best(q−1, j) + l(i)·(N(i) − N(j))
//!            = l(i)·N(i) + min over j of  (best(q−1, j) − N(j)·l(i))
//! ```
//!
//! so the minimum is over lines of slope −N(j) at the point l(i). Slopes only decrease and points only increase, so a
//! queue can store the lower envelope (the convex hull trick).
//!
//! **Ties.** If two cuts cost the same, the later boundary j wins, starting from the widest bucket. This matches the
//! paper's loop, which scans j downward and replaces the best cut only by a strictly better one. If Q is at least the
//! number of distinct lengths, every length gets a bucket and there is no padding.
//!
//! Paper: Khomenko et al., "Accelerating recurrent neural network training using sequence bucketing and multi-GPU data
//! parallelization" (2016), section III.A.

use crate::bounds::MAX_CELLS;
use crate::error::PlanError;

/// Returns an error if the table for this many buckets and distinct lengths would be too large.
pub(crate) fn check_cells(buckets: u32, lengths: usize) -> Result<(), PlanError> {
    let buckets = (buckets as usize).min(lengths);
    // A bucket for every length needs no table.
    if buckets == lengths || buckets.saturating_mul(lengths) <= MAX_CELLS {
        Ok(())
    } else {
        Err(PlanError::TooManyCells { buckets, lengths })
    }
}

/// Returns the upper boundaries of the `buckets` buckets that need the least padding, ascending. The last boundary is the
/// longest length. There are fewer boundaries if there are fewer distinct lengths.
///
/// The histogram lists each distinct length once, ascending, with a count of at least 1. For any other input the result
/// is an unspecified list of its lengths. Counts that sum to 2⁴⁶ or more are scaled down, and the result is optimal for
/// the scaled counts.
///
/// ```
/// use padwise_sampler::optimal_boundaries;
///
/// let histogram = [(100, 50), (110, 50), (400, 3), (1000, 1)];
/// assert_eq!(optimal_boundaries(&histogram, 2), [110, 1000]);
/// assert_eq!(optimal_boundaries(&histogram, 4), [100, 110, 400, 1000]);
/// ```
pub fn optimal_boundaries(histogram: &[(u32, u64)], buckets: u32) -> Vec<u32> {
    debug_assert!(histogram.is_sorted_by(|a, b| a.0 < b.0));
    let distinct = histogram.len();
    let buckets = (buckets as usize).min(distinct);
    if buckets == distinct || buckets == 0 {
        let lengths = histogram.iter().map(|&(length, _)| length);
        return lengths.take(buckets).collect();
    }
    let shift = bits_too_many(histogram);
    let items_up_to: Vec<u64> = std::iter::once(0)
        .chain(histogram.iter().scan(0, |sum, &(_, count)| {
            *sum += (count >> shift).max(1);
            Some(*sum)
        }))
        .collect();
    let length = |i: usize| i.checked_sub(1).map_or(0, |i| u128::from(histogram[i].0));

    // best[i]: the minimum of padded frames for the first i lengths in q buckets. With one bucket, all are padded to l(i).
    let mut best: Vec<u128> = (0..=distinct)
        .map(|i| length(i) * u128::from(items_up_to[i]))
        .collect();
    // cuts[q − 2][i]: the number of lengths in the first q − 1 buckets if the first i lengths are in q buckets.
    let mut cuts: Vec<Vec<u32>> = Vec::with_capacity(buckets - 1);
    for q in 2..=buckets {
        let mut next = vec![u128::MAX; distinct + 1];
        let mut cut = vec![0u32; distinct + 1];
        let mut envelope = Envelope::default();
        // Fewer than q lengths cannot fill q buckets.
        for i in q..=distinct {
            let j = i - 1;
            envelope.push(Line {
                cut: j as u32,
                items: items_up_to[j],
                frames: best[j],
            });
            let line = envelope.lowest_at(length(i));
            next[i] = line.frames + length(i) * u128::from(items_up_to[i] - line.items);
            cut[i] = line.cut;
        }
        cuts.push(cut);
        best = next;
    }

    let mut end = distinct;
    let mut boundaries = vec![histogram[end - 1].0];
    for cut in cuts.iter().rev() {
        end = cut[end] as usize;
        boundaries.push(histogram[end - 1].0);
    }
    boundaries.reverse();
    boundaries
}

/// The number of bits to shift counts by so that they sum to less than 2⁴⁶. Products of items and frames then stay below
/// 2¹²⁷. Up to 2³² lengths count at least 1 each, which adds too little to 2⁴⁶ to overflow.
fn bits_too_many(histogram: &[(u32, u64)]) -> u32 {
    let total: u128 = histogram.iter().map(|&(_, count)| u128::from(count)).sum();
    (u128::BITS - total.leading_zeros()).saturating_sub(46)
}

/// The cost of a boundary after `cut` lengths, as a line over the width of the next bucket: `frames − items · width`.
#[derive(Clone, Copy)]
struct Line {
    cut: u32,
    items: u64,
    frames: u128,
}

impl Line {
    fn at(&self, width: u128) -> i128 {
        self.frames as i128 - i128::from(self.items) * width as i128
    }
}

/// The lower envelope of lines that are pushed with decreasing slope and evaluated at increasing points.
#[derive(Default)]
struct Envelope {
    lines: Vec<Line>,
    /// Lines before this index are never the lowest again.
    first: usize,
}

impl Envelope {
    fn push(&mut self, line: Line) {
        while let [.., before, middle] = &self.lines[self.first..] {
            if !middle_is_hidden(before, middle, &line) {
                break;
            }
            self.lines.pop();
        }
        self.lines.push(line);
    }

    /// The lowest line at this point. Ties go to the line with the last cut.
    fn lowest_at(&mut self, width: u128) -> Line {
        while let Some(next) = self.lines.get(self.first + 1) {
            if next.at(width) > self.lines[self.first].at(width) {
                break;
            }
            self.first += 1;
        }
        self.lines[self.first]
    }
}

/// Whether the middle one of three lines with decreasing slope is nowhere lower than both others. It may touch their
/// crossing, where the last line wins the tie.
fn middle_is_hidden(before: &Line, middle: &Line, after: &Line) -> bool {
    let rise = |a: &Line, b: &Line| b.frames as i128 - a.frames as i128;
    let turn = |a: &Line, b: &Line| i128::from(b.items) - i128::from(a.items);
    // `before` and `after` cross no later than `before` and `middle`.
    rise(before, after) * turn(before, middle) <= rise(before, middle) * turn(before, after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    /// The number of frames if every item is padded to its bucket's width.
    fn padded_frames(histogram: &[(u32, u64)], boundaries: &[u32]) -> u64 {
        histogram
            .iter()
            .map(|&(length, count)| {
                let bucket = boundaries.iter().find(|&&b| b >= length).expect("a bucket");
                u64::from(*bucket) * count
            })
            .sum()
    }

    /// The paper's pseudo-code over the distinct lengths, with cubic cost.
    fn as_printed(histogram: &[(u32, u64)], buckets: usize) -> Vec<u32> {
        let n = histogram.len();
        let mut dp = vec![vec![u64::MAX; n + 1]; buckets + 1];
        let mut previous = vec![vec![0; n + 1]; buckets + 1];
        dp[0][0] = 0;
        for q in 1..=buckets {
            for i in 1..=n {
                for j in (0..i).rev() {
                    if dp[q - 1][j] == u64::MAX {
                        continue;
                    }
                    let items: u64 = histogram[j..i].iter().map(|&(_, count)| count).sum();
                    let value = dp[q - 1][j] + u64::from(histogram[i - 1].0) * items;
                    if value < dp[q][i] {
                        dp[q][i] = value;
                        previous[q][i] = j;
                    }
                }
            }
        }
        let mut boundaries = Vec::new();
        let mut end = n;
        for q in (1..=buckets).rev() {
            boundaries.insert(0, histogram[end - 1].0);
            end = previous[q][end];
        }
        boundaries
    }

    /// Tries every choice of boundaries.
    fn brute_force(histogram: &[(u32, u64)], buckets: usize) -> u64 {
        let n = histogram.len();
        (0u32..1 << n)
            .filter(|set| set.count_ones() as usize == buckets && set >> (n - 1) == 1)
            .map(|set| {
                let boundaries: Vec<u32> = (0..n)
                    .filter(|i| set >> i & 1 == 1)
                    .map(|i| histogram[i].0)
                    .collect();
                padded_frames(histogram, &boundaries)
            })
            .min()
            .expect("a choice")
    }

    fn histograms() -> impl Strategy<Value = Vec<(u32, u64)>> {
        // Small gaps and counts make ties common. Large ones make the slopes of the envelope differ widely.
        prop::collection::vec((1u32..4, 1u64..4), 1..11)
            .prop_union(prop::collection::vec((1u32..900, 1u64..1000), 1..11))
            .prop_map(|steps| {
                let mut length = 0;
                steps
                    .into_iter()
                    .map(|(gap, count)| {
                        length += gap;
                        (length, count)
                    })
                    .collect()
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 600,
            rng_seed: RngSeed::Fixed(0),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn equals_brute_force_and_breaks_ties_as_the_paper(histogram in histograms(), buckets in 1u32..12) {
            let boundaries = optimal_boundaries(&histogram, buckets);
            let q = (buckets as usize).min(histogram.len());
            prop_assert_eq!(boundaries.len(), q);
            prop_assert_eq!(padded_frames(&histogram, &boundaries), brute_force(&histogram, q));
            prop_assert_eq!(boundaries, as_printed(&histogram, q));
        }
    }

    #[test]
    fn as_many_buckets_as_lengths_need_no_padding() {
        let histogram = [(3, 2), (5, 1), (9, 4)];
        for buckets in [3, 4, u32::MAX] {
            assert_eq!(optimal_boundaries(&histogram, buckets), [3, 5, 9]);
        }
        assert!(optimal_boundaries(&[], 4).is_empty());
    }

    #[test]
    fn lengths_and_counts_near_the_limits_do_not_overflow() {
        let top = crate::bounds::MAX_LENGTH;
        let histogram = [(1, 1 << 30), (top - 1, 1 << 30), (top, 1 << 30)];
        assert_eq!(optimal_boundaries(&histogram, 2), [1, top]);
        for count in [1 << 46, u64::MAX / 2, u64::MAX] {
            let histogram = [(1, count), (u32::MAX - 1, count), (u32::MAX, count)];
            assert_eq!(optimal_boundaries(&histogram, 2), [1, u32::MAX]);
            let many: Vec<(u32, u64)> = (0..500).map(|i| (u32::MAX - 500 + i, count)).collect();
            let few: Vec<(u32, u64)> = many.iter().map(|&(length, _)| (length, 1)).collect();
            assert_eq!(optimal_boundaries(&many, 7), optimal_boundaries(&few, 7));
        }
    }

    #[test]
    fn a_table_that_is_too_large_is_refused() {
        assert_eq!(check_cells(6, 40_000_000), Ok(()));
        assert_eq!(check_cells(u32::MAX, 1 << 20), Ok(()), "no table needed");
        assert_eq!(check_cells(1 << 14, 1 << 14), Ok(()));
        assert!(check_cells(7, 40_000_000).is_err());
        insta::assert_snapshot!(check_cells(20_000, 1 << 15).expect_err("too many"), @"bucketed:optimal=20000 over 32768 distinct lengths needs a table of more than 268435456 cells: use fewer buckets, bucketed:count, or fewer distinct lengths (longer frames, a smaller buffer)");
    }
}
