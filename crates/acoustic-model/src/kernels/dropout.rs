//! Dropout without a generator's state: whether a value is dropped is a hash of its index and a key.
//!
//! The key is made from the run's seed, the step and the layer, so a resumed run drops what the uninterrupted one would
//! have, every backend drops the same values, and the backward pass needs no mask kept: it asks the hash again.

use burn::tensor::backend::Backend;
use burn::tensor::{Tensor, TensorData};

/// Which values to drop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropout {
    /// The share of values dropped, below 1.
    pub rate: f64,
    /// What the hash is salted with.
    pub key: u64,
}

impl Dropout {
    /// The dropout of one layer at one step of a run.
    pub fn at(rate: f64, seed: u64, step: u64, layer: usize) -> Self {
        // SplitMix64's mixer over the three: neighbouring steps and layers get unrelated keys.
        let mut key = seed ^ step.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ ((layer as u64) << 56);
        key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self {
            rate,
            key: key ^ (key >> 31),
        }
    }

    /// The two halves of the key, low and high.
    pub fn halves(self) -> (u32, u32) {
        (self.key as u32, (self.key >> 32) as u32)
    }

    /// A value is dropped when its hash is below this.
    pub fn threshold(self) -> u32 {
        (self.rate * 4_294_967_296.0).min(f64::from(u32::MAX)) as u32
    }

    /// What survives is multiplied by this, so that sums stay what they were on average.
    pub fn scale(self) -> f64 {
        1.0 / (1.0 - self.rate)
    }

    /// Whether the value at `index` survives.
    pub fn keeps(self, index: u32) -> bool {
        let (low, high) = self.halves();
        hash(index, low, high) >= self.threshold()
    }
}

/// Where in training a forward pass stands: dropout depends on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingStep {
    /// The share of outputs dropped between layers.
    pub dropout: f64,
    /// The run's seed.
    pub seed: u64,
    /// The step's number.
    pub step: u64,
}

impl TrainingStep {
    /// What is dropped between a layer (from 0) and the one below it, if anything.
    pub fn dropout_below(self, layer: usize) -> Option<Dropout> {
        let below = layer.checked_sub(1).filter(|_| self.dropout > 0.0)?;
        Some(Dropout::at(self.dropout, self.seed, self.step, below))
    }
}

/// A 32-bit hash of an index under a 64-bit key: PCG's output permutation, once for each half of the key.
pub fn hash(index: u32, key_low: u32, key_high: u32) -> u32 {
    permute(permute(index.wrapping_add(key_low)) ^ key_high)
}

/// The permutation of PCG-RXS-M-XS 32/32 after one step of its generator.
fn permute(value: u32) -> u32 {
    let state = value.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

/// Dropout on any backend: the mask is made on the host.
pub(super) fn on_host<B: Backend>(values: Tensor<B, 3>, dropout: Dropout) -> Tensor<B, 3> {
    let shape = values.dims();
    let scale = dropout.scale() as f32;
    let count = shape.iter().product::<usize>();
    let mask: Vec<f32> = (0..count)
        .map(|index| {
            if dropout.keeps(index as u32) {
                scale
            } else {
                0.0
            }
        })
        .collect();
    let mask = Tensor::from_data(
        TensorData::new(mask, shape),
        (&values.device(), values.dtype()),
    );
    values * mask
}
