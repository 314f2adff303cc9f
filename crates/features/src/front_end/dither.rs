//! Reproducible dither.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::config::Dither;

/// The noise of one utterance.
pub(super) struct Noise {
    amount: f64,
    random: ChaCha8Rng,
}

impl Noise {
    pub fn new(dither: Dither) -> Self {
        // The key is built here because the library's own derivation from a seed may change.
        let mut key = [0; 32];
        key[..8].copy_from_slice(&dither.seed.to_le_bytes());
        Noise {
            amount: dither.amount,
            random: ChaCha8Rng::from_seed(key),
        }
    }

    /// Adds independent Gaussian noise to every sample.
    pub fn add_to(&mut self, frame: &mut [f32]) {
        for pair in frame.chunks_mut(2) {
            // Box–Muller transform: two uniform numbers give two normal ones. The argument of the logarithm is never 0.
            let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * self.amount;
            let (sin, cos) = (std::f64::consts::TAU * self.uniform()).sin_cos();
            for (sample, part) in pair.iter_mut().zip([cos, sin]) {
                *sample += (radius * part) as f32;
            }
        }
    }

    /// A uniform number in [0, 1) with 53 bits.
    fn uniform(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}
