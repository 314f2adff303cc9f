//! What a plan costs and how random it is, before anything is trained.
//!
//! - **ZPR**, the zero-padding rate of a batch, is 1 − mean length / padded length; over an epoch it is the mean over
//!   batches, weighted by their size. **ABL**, the average batch length, is the mean padded length, weighted the same
//!   way. Both are the definitions of Ge et al., "Speed up training with variable length inputs by efficient batching
//!   strategies" (2021), sections 2 and 4.
//! - The **pooled** padding ratio is all padding over all padded frames of the epoch. It weighs long batches more, as
//!   the clock does, and so is the one to predict time with.
//! - **Adjacent correlation** is Pearson's, between the padded lengths of each batch and the next: near 1 where
//!   lengths creep up through the epoch, near 0 where batches come in random order.
//!   [`pair_recurrence`](crate::pair_recurrence) measures the other randomness, of who meets whom.

use std::collections::HashSet;

use super::epoch_plan::Plan;

/// Figures of one plan.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Stats {
    /// All items, in batches or dropped: sequences, or chunks of any length.
    pub items: usize,
    /// Batches of the epoch.
    pub batches: usize,
    /// The zero-padding rate, from 0 to 1; none where there is no batch.
    pub zpr: Option<f64>,
    /// The average batch length, in frames; none where there is no batch.
    pub abl: Option<f64>,
    /// Padding over padded frames, pooled over the epoch, from 0 to 1; none where there is no batch.
    pub pooled_padding: Option<f64>,
    /// Frames in batches that are not padding.
    pub valid_frames: u64,
    /// Frames with padding: what is computed.
    pub padded_frames: u64,
    /// Padded frames of the largest batch: what memory must hold.
    pub largest_batch_frames: u64,
    /// Items of the batch that has most of them.
    pub largest_batch_items: usize,
    /// Different (items, padded length) pairs: what a backend that compiles or tunes for each shape pays for.
    pub distinct_shapes: usize,
    /// Correlation of each batch's padded length with the next one's; none with fewer than three batches, or where all
    /// but the first, or all but the last, have the same length.
    pub adjacent_correlation: Option<f64>,
    /// Items in no batch.
    pub dropped: usize,
    /// Frames that a batch holds though another already does: chunks that overlap repeat some.
    pub repeated_frames: u64,
}

impl Plan {
    /// The figures of this plan.
    pub fn stats(&self) -> Stats {
        let (mut items, mut zpr, mut abl) = (0.0, 0.0, 0.0);
        let (mut valid_frames, mut padded_frames) = (0, 0);
        let mut shapes = HashSet::new();
        for batch in self.batches() {
            let size = batch.len() as f64;
            items += size;
            zpr += size * batch.zero_padding_rate();
            abl += size * f64::from(batch.padded_length());
            valid_frames += batch.valid_frames();
            padded_frames += batch.padded_frames();
            shapes.insert((batch.len(), batch.padded_length()));
        }
        let padded_lengths = self.batches.iter().map(|b| f64::from(b.padded_length));
        let share = |sum: f64, of: f64| (of > 0.0).then(|| sum / of);
        Stats {
            items: self.ledger.items,
            batches: self.len(),
            zpr: share(zpr, items),
            abl: share(abl, items),
            pooled_padding: share((padded_frames - valid_frames) as f64, padded_frames as f64),
            valid_frames,
            padded_frames,
            largest_batch_frames: self.largest_batch().map_or(0, |b| b.padded_frames()),
            largest_batch_items: self.batches().map(|b| b.len()).max().unwrap_or(0),
            distinct_shapes: shapes.len(),
            adjacent_correlation: adjacent_correlation(padded_lengths),
            dropped: self.ledger.dropped.len(),
            repeated_frames: self.repeated_frames(),
        }
    }

    fn repeated_frames(&self) -> u64 {
        let Some(origins) = &self.origins else {
            return 0;
        };
        // Chunks are numbered sequence by sequence, by rising start, so an overlap is always with the one before;
        // count it where both are in a batch.
        let mut ends = vec![0u32; origins.len()];
        for position in self.batches.iter().flat_map(|batch| batch.range()) {
            let number = self.items[position] as usize;
            ends[number] = origins[number].start + self.lengths[position];
        }
        let batched = origins.iter().zip(&ends).filter(|&(_, &end)| end > 0);
        let pairs = batched.clone().zip(batched.skip(1));
        pairs
            .filter(|((before, _), (origin, _))| before.sequence == origin.sequence)
            .map(|((_, end), (origin, _))| u64::from(end.saturating_sub(origin.start)))
            .sum()
    }
}

/// Pearson's correlation of a series with itself one step later. Undefined, and so none, where either of the two is
/// constant, and meaningless with fewer than two pairs.
fn adjacent_correlation(series: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let pairs = || series.clone().zip(series.clone().skip(1));
    let n = pairs().count() as f64;
    let (x, y) = pairs().next()?;
    if n < 2.0 || pairs().all(|pair| pair.0 == x) || pairs().all(|pair| pair.1 == y) {
        return None;
    }
    let (mean_x, mean_y) = pairs().fold((0.0, 0.0), |(x, y), (a, b)| (x + a / n, y + b / n));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (a, b) in pairs() {
        xx += (a - mean_x) * (a - mean_x);
        yy += (b - mean_y) * (b - mean_y);
        xy += (a - mean_x) * (b - mean_y);
    }
    Some((xy / (xx * yy).sqrt()).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_of_known_series() {
        let of = |s: &[f64]| adjacent_correlation(s.iter().copied());
        assert!((of(&[1.0, 2.0, 3.0, 4.0]).expect("varies") - 1.0).abs() < 1e-12);
        assert!((of(&[1.0, 2.0, 1.0, 2.0, 1.0]).expect("varies") + 1.0).abs() < 1e-12);
        assert_eq!(of(&[0.1, 0.1, 0.1, 0.1]), None);
        assert_eq!(of(&[1.0]), None);
        assert_eq!(of(&[1.0, 2.0]), None);
        assert_eq!(
            of(&[1.0, 1.0, 1.0, 2.0]),
            None,
            "the earlier one is constant"
        );
        // Long batches that differ by one frame do vary.
        let long = 2_000_000_000.0;
        let r = of(&[long, long + 1.0, long, long + 1.0, long]).expect("varies");
        assert!((r + 1.0).abs() < 1e-6, "{r}");
        assert_eq!(of(&[]), None);
    }
}
