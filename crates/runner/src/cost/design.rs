//! The shapes whose steps are timed.
//!
//! At every batch size two lengths separate the fixed cost of a step from the cost per frame. Two more shapes separate padding after
//! the end of an item from padding after the longest item. Shapes between these sizes test the fit.

use padwise_model::BackendChoice;
use padwise_recommend::cost::BatchShape;

/// Batch sizes at which the time per frame is measured.
const SIZES: [usize; 12] = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 256, 512];
/// GPU kernels process items in groups of sixteen (small batches on some GPUs: of eight), so one more item than a multiple can take as
/// long as a whole group.
const GROUP_STARTS: [usize; 8] = [17, 33, 49, 65, 97, 129, 193, 257];
/// Batch sizes of the shapes that test the fit, and their length as a share of the longest at that size.
const HELD_OUT: [(usize, f64); 7] = [
    (3, 0.8),
    (12, 0.5),
    (24, 0.7),
    (56, 0.6),
    (110, 0.8),
    (200, 0.7),
    (400, 0.15),
];
/// Batch size of the shapes with padding.
const PADDED_SIZE: usize = 16;
/// The shorter length at a size, relative to the longer one.
const SHORTER: f64 = 0.25;
/// The longest length. Time is linear beyond it.
const MOST_FRAMES: f64 = 1_600.0;
/// Fewer frames say little about the cost per frame.
const FEWEST_FRAMES: f64 = 16.0;
/// The largest shape in padded frames: as many as sixteen long utterances.
const MOST_PADDED: f64 = 50_000.0;

/// A shape to time.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Frames of each item.
    pub lengths: Vec<u32>,
    /// Frames that they are padded to.
    pub padded_length: u32,
    /// Whether the cost model is fitted to it; otherwise it tests the fit.
    pub fitted: bool,
}

impl Trial {
    fn full(items: usize, frames: f64, fitted: bool) -> Self {
        let frames = (frames as u32).max(1);
        Self {
            lengths: vec![frames; items],
            padded_length: frames,
            fitted,
        }
    }

    /// The shape of its batch.
    pub fn shape(&self) -> BatchShape {
        BatchShape {
            items: self.lengths.len(),
            longest: self.lengths.iter().copied().max().unwrap_or(0),
            padded_length: self.padded_length,
            valid_frames: self.lengths.iter().map(|&length| u64::from(length)).sum(),
        }
    }
}

/// The batch sizes at which the time per frame is measured on this backend.
pub fn sizes(backend: BackendChoice) -> Vec<usize> {
    let mut sizes = SIZES.to_vec();
    if backend != BackendChoice::Cpu {
        sizes.extend(GROUP_STARTS);
        sizes.sort_unstable();
    }
    sizes
}

/// The shapes to time, none of more than this many padded frames, the smallest first.
pub fn trials(sizes: &[usize], most_padded: f64) -> Vec<Trial> {
    let most_padded = most_padded.clamp(PADDED_SIZE as f64 * FEWEST_FRAMES, MOST_PADDED);
    let longest = |items: usize| (most_padded / items as f64).min(MOST_FRAMES);
    let enough = |items: usize| longest(items) >= FEWEST_FRAMES;
    let mut trials = Vec::new();
    let sizes: Vec<usize> = sizes
        .iter()
        .copied()
        .filter(|&items| enough(items))
        .collect();
    for &items in &sizes {
        let frames = longest(items);
        trials.push(Trial::full(items, frames, true));
        trials.push(Trial::full(items, SHORTER * frames, true));
    }
    let largest = sizes.last().copied().unwrap_or(1);
    let held_out = HELD_OUT.into_iter().filter(|&(items, _)| items < largest);
    trials.extend(held_out.map(|(items, share)| Trial::full(items, share * longest(items), false)));
    let frames = longest(PADDED_SIZE) as u32;
    trials.push(ragged(frames, 0.25, frames, true));
    trials.push(ragged(frames / 2, 1.0, frames, true));
    trials.push(ragged(frames * 3 / 4, 0.5, frames, false));
    trials.sort_by_key(|trial| trial.shape().padded_frames());
    trials
}

/// Items whose lengths rise evenly from a share of the longest to the longest.
fn ragged(longest: u32, shortest_share: f64, padded_length: u32, fitted: bool) -> Trial {
    let step = (1.0 - shortest_share) / (PADDED_SIZE - 1) as f64;
    let length = |at: usize| f64::from(longest) * (shortest_share + step * at as f64);
    Trial {
        lengths: (0..PADDED_SIZE)
            .map(|at| (length(at).round() as u32).max(1))
            .collect(),
        padded_length,
        fitted,
    }
}

/// Padded frames of all trials, for a design with this limit.
pub fn total_padded(sizes: &[usize], most_padded: f64) -> f64 {
    trials(sizes, most_padded)
        .iter()
        .map(|trial| trial.shape().padded_frames() as f64)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_stay_below_the_limit_and_rise() {
        for limit in [0.0, 1_000.0, 10_000.0, 1e9] {
            let trials = trials(&sizes(BackendChoice::Cuda), limit);
            let padded: Vec<u64> = trials
                .iter()
                .map(|trial| trial.shape().padded_frames())
                .collect();
            assert!(padded.is_sorted());
            let most = limit.clamp(PADDED_SIZE as f64 * FEWEST_FRAMES, MOST_PADDED);
            assert!(
                padded.iter().all(|&frames| frames as f64 <= most),
                "{limit}: {padded:?}"
            );
            assert!(trials.iter().any(|trial| !trial.fitted));
        }
    }

    #[test]
    fn a_small_budget_leaves_out_large_batches() {
        let sizes = sizes(BackendChoice::Cpu);
        let most_items = |limit| {
            let trials = trials(&sizes, limit);
            trials.iter().map(|trial| trial.lengths.len()).max()
        };
        assert_eq!(most_items(1_000.0), Some(48));
        assert_eq!(most_items(1e9), Some(512));
    }
}
