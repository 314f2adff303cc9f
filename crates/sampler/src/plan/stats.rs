//! Statistics of a plan: padding, memory and randomness, without training.
//!
//! - **ZPR**, the zero padding rate of a batch, is 1 − mean length / padded length. Over an epoch it is the mean over
//!   batches, weighted by batch size.
//! - **ABL**, the average batch length, is the mean padded length, weighted by batch size.
//! - The **pooled** padding ratio is the padding of the epoch divided by its padded frames. Long batches weigh more, as
//!   they do in training time, so use it to predict training time.
//! - **Adjacent correlation** is the lag-1 autocorrelation of batch lengths: Pearson's correlation between the padded
//!   lengths of each batch and the next. It is near 1 if lengths increase slowly through the epoch, and near 0 if batches
//!   come in random order. [`pair_recurrence`](crate::pair_recurrence) measures the randomness inside batches.
//!
//! ZPR and ABL follow Ge et al., "Speed up training with variable length inputs by efficient batching strategies" (2021),
//! sections 2 and 4.

use std::collections::HashSet;

use super::epoch_plan::Plan;

/// Statistics of one plan.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Stats {
    /// All items, batched or dropped: sequences, or chunks of any length.
    pub items: usize,
    /// The number of batches.
    pub batches: usize,
    /// The zero padding rate (ZPR), from 0 to 1, or `None` without batches.
    pub zpr: Option<f64>,
    /// The average batch length (ABL) in frames, or `None` without batches.
    pub abl: Option<f64>,
    /// Padding divided by padded frames, pooled over the epoch, from 0 to 1, or `None` without batches.
    pub pooled_padding: Option<f64>,
    /// Frames in batches, without padding.
    pub valid_frames: u64,
    /// Frames in batches, with padding. Computation is proportional to it.
    pub padded_frames: u64,
    /// Padded frames of the largest batch. Memory is proportional to it.
    pub largest_batch_frames: u64,
    /// The maximum number of items in a batch.
    pub largest_batch_items: usize,
    /// The number of distinct shapes (items, padded length). Some backends compile or tune for each shape.
    pub distinct_shapes: usize,
    /// The lag-1 autocorrelation of the batches' padded lengths. `None` with fewer than three batches, or if all batches
    /// but the first, or all but the last, have the same length.
    pub adjacent_correlation: Option<f64>,
    /// The number of items in no batch.
    pub dropped: usize,
    /// Frames that occur in two batched chunks because chunks overlap.
    pub repeated_frames: u64,
}

impl Plan {
    /// Computes the statistics of this plan.
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
        // Chunks are numbered by sequence and start, so a chunk overlaps the one before. Count the overlap if both are
        // in a batch.
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

/// Pearson's correlation between a series and itself one step later. `None` if one of the two is constant or if there are
/// fewer than two pairs.
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
        // Batches that are very long and differ by one frame are not constant.
        let long = 2_000_000_000.0;
        let r = of(&[long, long + 1.0, long, long + 1.0, long]).expect("varies");
        assert!((r + 1.0).abs() < 1e-6, "{r}");
        assert_eq!(of(&[]), None);
    }
}
