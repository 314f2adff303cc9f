//! The cost of a training step, as a function of the shape of its batch.
//!
//! The time of a step has three parts: a fixed part, a part for every frame of the longest item, and a part for padding beyond it. A
//! recurrence goes through the frames of the longest item one after the other. More items make a frame slower, but less than
//! proportionally, so the time per frame is measured at several batch sizes and interpolated. Memory is a fixed part and a part for
//! every padded frame; with CTC, its tables add a part for every frame and label.
//!
//! This module does not know how the numbers were measured.

mod profile;

pub use profile::{DeviceProfile, FitError, Measurement, ProfileError};

use padwise_model_config::Padding;
use padwise_sampler::{Batch, Plan};
use serde::{Deserialize, Serialize};

/// The shape of a batch, as far as the cost of a training step depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchShape {
    /// Number of items.
    pub items: usize,
    /// Frames of the longest item.
    pub longest: u32,
    /// Frames that every item is padded to.
    pub padded_length: u32,
    /// Frames without padding.
    pub valid_frames: u64,
}

impl BatchShape {
    /// A batch of items that all have this many frames.
    pub fn full(items: usize, frames: u32) -> Self {
        Self {
            items,
            longest: frames,
            padded_length: frames,
            valid_frames: items as u64 * u64::from(frames),
        }
    }

    /// Frames with padding.
    pub fn padded_frames(&self) -> u64 {
        (self.items as u64).saturating_mul(u64::from(self.padded_length))
    }

    /// Frames that take memory: with padding, or without it and with one more for every item if batches are packed.
    pub fn stored_frames(&self, padding: Padding) -> u64 {
        match padding {
            Padding::Padded => self.padded_frames(),
            Padding::Packed => self.valid_frames + self.items as u64,
        }
    }

    /// Padding between the end of each item and the end of the longest one.
    pub fn ragged_frames(&self) -> f64 {
        let rectangle = self.items as f64 * f64::from(self.longest);
        (rectangle - self.valid_frames as f64).max(0.0)
    }

    /// Padding beyond the end of the longest item.
    pub fn excess_frames(&self) -> f64 {
        self.items as f64 * f64::from(self.padded_length.saturating_sub(self.longest))
    }
}

impl From<Batch<'_>> for BatchShape {
    fn from(batch: Batch<'_>) -> Self {
        Self {
            items: batch.len(),
            longest: batch.lengths().iter().copied().max().unwrap_or(0),
            padded_length: batch.padded_length(),
            valid_frames: batch.valid_frames(),
        }
    }
}

/// The time per frame of the longest item, at one batch size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeCost {
    /// Items in the batch.
    pub items: usize,
    /// Seconds per frame of the longest item, if every item is as long.
    pub frame_seconds: f64,
}

/// The time and memory of training steps on one device with one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostModel {
    /// Seconds of every step of any shape.
    pub step_seconds: f64,
    /// Seconds of every item of any length.
    pub item_seconds: f64,
    /// Time per frame by batch size, in increasing order of size.
    pub sizes: Vec<SizeCost>,
    /// Seconds saved per frame of padding between an item's end and the end of the longest item. Zero if these frames cost as much
    /// as data.
    pub ragged_saving: f64,
    /// Seconds per frame of padding beyond the end of the longest item.
    pub excess_seconds: f64,
    /// Memory of a step; none if the device does not report it.
    pub memory: Option<MemoryCost>,
}

/// Peak memory of a training step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryCost {
    /// Bytes of every step of any shape.
    pub fixed_bytes: f64,
    /// Bytes per padded frame.
    pub frame_bytes: f64,
    /// Bytes per item and squared padded length: CTC's tables have an entry for every frame and label.
    pub square_bytes: f64,
}

impl MemoryCost {
    /// Peak bytes of a step with this many items, each padded to this many frames.
    pub fn bytes(&self, items: usize, padded_length: u32) -> u64 {
        let padded_frames = (items as u64).saturating_mul(u64::from(padded_length));
        self.bytes_of_frames(padded_frames, padded_length)
    }

    /// Peak bytes of a step with a batch of this shape.
    pub fn bytes_of(&self, shape: &BatchShape, padding: Padding) -> u64 {
        self.bytes_of_frames(shape.stored_frames(padding), shape.padded_length)
    }

    /// Peak bytes of a step with this many padded frames, in items of at most this length.
    pub fn bytes_of_frames(&self, padded_frames: u64, padded_length: u32) -> u64 {
        let per_frame = self.frame_bytes + self.square_bytes * f64::from(padded_length);
        (self.fixed_bytes + padded_frames as f64 * per_frame).max(0.0) as u64
    }
}

impl CostModel {
    /// Seconds of a training step.
    pub fn step(&self, shape: &BatchShape) -> f64 {
        let rectangle = self.frame_seconds(shape.items as f64) * f64::from(shape.longest);
        // A batch cannot cost less than its longest item alone.
        let least = self.frame_seconds(1.0) * f64::from(shape.longest);
        self.step_seconds
            + self.item_seconds * shape.items as f64
            + (rectangle - self.ragged_saving * shape.ragged_frames()).max(least.min(rectangle))
            + self.excess_seconds * shape.excess_frames()
    }

    /// Seconds of all training steps of an epoch.
    pub fn epoch(&self, plan: &Plan) -> f64 {
        plan.batches()
            .map(|batch| self.step(&BatchShape::from(batch)))
            .sum()
    }

    /// Seconds per frame of the longest item, for a batch of this many items.
    pub fn frame_seconds(&self, items: f64) -> f64 {
        let weights = size_weights(&self.sizes, items);
        let weighted = weights.map(|(at, weight)| weight * self.sizes[at].frame_seconds);
        weighted[0] + weighted[1]
    }
}

/// How much two of the measured sizes contribute to the time per frame of a batch of this many items: the index of each and its
/// weight. `sizes` must not be empty.
///
/// Time is linear between sizes, constant below the smallest, and proportional to the items above the largest.
pub fn size_weights(sizes: &[SizeCost], items: f64) -> [(usize, f64); 2] {
    let last = sizes.len() - 1;
    let size = |at: usize| sizes[at].items as f64;
    let above = sizes.partition_point(|size| (size.items as f64) < items);
    if above == 0 {
        return [(0, 1.0), (0, 0.0)];
    }
    if above > last {
        return [(last, items / size(last)), (last, 0.0)];
    }
    let (low, high) = (size(above - 1), size(above));
    let share = (items - low) / (high - low);
    [(above - 1, 1.0 - share), (above, share)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> CostModel {
        let size = |items, frame_seconds| SizeCost {
            items,
            frame_seconds,
        };
        CostModel {
            step_seconds: 1.0,
            item_seconds: 0.0,
            sizes: vec![size(1, 1.0), size(4, 2.0), size(8, 4.0)],
            ragged_saving: 0.25,
            excess_seconds: 0.5,
            memory: None,
        }
    }

    #[test]
    fn time_per_frame_is_interpolated_between_sizes() {
        let model = model();
        let expected = [(1.0, 1.0), (2.5, 1.5), (4.0, 2.0), (6.0, 3.0), (16.0, 8.0)];
        for (items, seconds) in expected {
            assert_eq!(model.frame_seconds(items), seconds, "{items}");
        }
    }

    #[test]
    fn a_step_is_the_sum_of_its_parts() {
        let model = model();
        assert_eq!(model.step(&BatchShape::full(4, 10)), 1.0 + 20.0);
        let ragged = BatchShape {
            valid_frames: 32,
            ..BatchShape::full(4, 10)
        };
        assert_eq!(model.step(&ragged), 1.0 + 20.0 - 2.0);
        let padded = BatchShape {
            padded_length: 12,
            ..BatchShape::full(4, 10)
        };
        assert_eq!(model.step(&padded), 1.0 + 20.0 + 4.0);
    }

    #[test]
    fn memory_grows_with_padded_frames() {
        let memory = MemoryCost {
            fixed_bytes: 100.0,
            frame_bytes: 2.0,
            square_bytes: 0.0,
        };
        let ctc = MemoryCost {
            square_bytes: 1.0,
            ..memory
        };
        assert_eq!(memory.bytes(4, 10), 180);
        assert_eq!(ctc.bytes(4, 10), 180 + 400);
    }
}
