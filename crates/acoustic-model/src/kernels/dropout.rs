//! Stateless dropout: a hash of the element's index and a key decides whether a value is dropped.
//!
//! The key is derived from the run's seed, the step and the layer. A resumed run therefore drops the same
//! values as an uninterrupted one, all backends drop the same values, and the backward pass recomputes the
//! mask instead of storing it.

use burn_tensor::backend::Backend;
use burn_tensor::{Int, Tensor, TensorData};

/// The dropout of one layer at one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropout {
    /// The dropout rate, below 1.
    pub rate: f64,
    /// The key of the hash.
    pub key: u64,
}

impl Dropout {
    /// The dropout of one layer at one step of a run.
    pub fn at(rate: f64, seed: u64, step: u64, layer: usize) -> Self {
        // SplitMix64's mixer over all three, so neighbouring steps and layers get unrelated keys.
        let mut key = seed ^ step.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ ((layer as u64) << 56);
        key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self {
            rate,
            key: key ^ (key >> 31),
        }
    }

    /// The low and high half of the key.
    pub fn halves(self) -> (u32, u32) {
        (self.key as u32, (self.key >> 32) as u32)
    }

    /// A value is dropped if its hash is below this.
    pub fn threshold(self) -> u32 {
        (self.rate * 4_294_967_296.0).min(f64::from(u32::MAX)) as u32
    }

    /// The factor on values that are kept; it preserves the expected sum.
    pub fn scale(self) -> f64 {
        1.0 / (1.0 - self.rate)
    }

    /// Whether the value at `index` is kept.
    pub fn keeps(self, index: u32) -> bool {
        let (low, high) = self.halves();
        hash(index, low, high) >= self.threshold()
    }
}

/// The position of a forward pass in training, on which dropout depends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingStep {
    /// The dropout rate between layers.
    pub dropout: f64,
    /// The run's seed.
    pub seed: u64,
    /// The step number.
    pub step: u64,
}

impl TrainingStep {
    /// The dropout between a layer (counted from 0) and the one below it, if any.
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

/// Dropout for any backend, with the mask computed on the host.
pub(super) fn on_host<B: Backend>(
    values: Tensor<B, 2>,
    places: Option<Tensor<B, 1, Int>>,
    dropout: Dropout,
) -> Tensor<B, 2> {
    let shape = values.dims();
    let scale = dropout.scale() as f32;
    let places: Vec<u32> = match places {
        Some(places) => places.into_data().iter().collect(),
        None => (0..shape[0] as u32).collect(),
    };
    let width = shape[1] as u32;
    let mask: Vec<f32> = places
        .into_iter()
        .flat_map(|place| {
            (0..width).map(move |column| place.wrapping_mul(width).wrapping_add(column))
        })
        .map(|index| if dropout.keeps(index) { scale } else { 0.0 })
        .collect();
    let mask = Tensor::from_data(
        TensorData::new(mask, shape),
        (&values.device(), values.dtype()),
    );
    values * mask
}
