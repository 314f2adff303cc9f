//! Window functions.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

/// Window function, applied to a frame before the FFT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Window {
    /// Kaldi's default: Hann to the power of 0.85, similar to Hamming but 0 at the ends.
    Povey,
    /// Raised cosine.
    Hann,
    /// Raised cosine with a pedestal of 0.08.
    Hamming,
    /// Two cosine terms, with a0 = 0.42.
    Blackman,
    /// Half a period of a sine.
    Sine,
    /// Constant 1.
    Rectangular,
}

/// Whether the window ends with its first value (symmetric), or just before it (periodic).
#[derive(Clone, Copy)]
pub(super) enum Ends {
    Symmetric,
    Periodic,
}

impl Window {
    pub(super) fn samples(self, length: usize, ends: Ends) -> Vec<f32> {
        let period = match ends {
            Ends::Symmetric => length.saturating_sub(1).max(1),
            Ends::Periodic => length.max(1),
        } as f64;
        (0..length)
            .map(|i| self.at(TAU * i as f64 / period) as f32)
            .collect()
    }

    /// The value at an angle from 0 to 2π.
    fn at(self, angle: f64) -> f64 {
        match self {
            Window::Povey => (0.5 - 0.5 * angle.cos()).powf(0.85),
            Window::Hann => 0.5 - 0.5 * angle.cos(),
            Window::Hamming => 0.54 - 0.46 * angle.cos(),
            Window::Blackman => 0.42 - 0.5 * angle.cos() + 0.08 * (2.0 * angle).cos(),
            Window::Sine => (0.5 * angle).sin(),
            Window::Rectangular => 1.0,
        }
    }
}
