//! Triangular mel filters.
//!
//! Kaldi's triangles are linear in mel, librosa's in Hz; both are implemented. Each filter stores only its nonzero
//! weights, so its cost depends on its width, not on the FFT size.

use std::ops::Range;

use super::config::MelScale;
use super::error::FrontEndError;
use super::lanes::dot;
use super::range::in_range;

/// The filters of one front end.
#[derive(Clone, Debug)]
pub(super) struct MelBank {
    filters: Vec<Filter>,
    /// Weights of all filters, concatenated.
    weights: Vec<f32>,
    /// Distance of FFT bins in Hz.
    bin_hz: f64,
}

#[derive(Clone, Debug)]
struct Filter {
    /// First FFT bin with a nonzero weight.
    first: usize,
    /// Range of its weights in [`MelBank::weights`].
    weights: Range<usize>,
}

/// The frequency range and the FFT that the filters apply to.
pub(super) struct Band {
    pub bins: u32,
    pub low_hz: f64,
    pub high_hz: Option<f64>,
    pub sample_rate: u32,
    pub fft_size: usize,
}

impl MelBank {
    /// Triangles in mel with height 1, without the Nyquist bin.
    pub fn kaldi(band: &Band) -> Result<Self, FrontEndError> {
        let mel = |hz: f64| 1127.0 * (hz / 700.0).ln_1p();
        let (low, high) = band.edges()?;
        let step = (mel(high) - mel(low)) / f64::from(band.bins + 1);
        Self::draw(band, band.fft_size / 2, |filter, hz| {
            let left = mel(low) + filter as f64 * step;
            let rising = (mel(hz) - left) / step;
            rising.min(2.0 - rising)
        })
    }

    /// Triangles in Hz with equal height or equal area, including the Nyquist bin.
    pub fn librosa(band: &Band, scale: MelScale, equal_area: bool) -> Result<Self, FrontEndError> {
        let (low, high) = band.edges()?;
        let (low_mel, high_mel) = (scale.mel(low), scale.mel(high));
        let step = (high_mel - low_mel) / f64::from(band.bins + 1);
        let corner = |i: usize| scale.hz(low_mel + i as f64 * step);
        Self::draw(band, band.fft_size / 2 + 1, |filter, hz| {
            let (left, center, right) = (corner(filter), corner(filter + 1), corner(filter + 2));
            let height = if equal_area {
                2.0 / (right - left)
            } else {
                1.0
            };
            let rising = (hz - left) / (center - left);
            height * rising.min((right - hz) / (right - center))
        })
    }

    /// Builds the filters from the positive part of `weight(filter, Hz)` over the first `frequencies` FFT bins.
    fn draw(
        band: &Band,
        frequencies: usize,
        weight: impl Fn(usize, f64) -> f64,
    ) -> Result<Self, FrontEndError> {
        let width = f64::from(band.sample_rate) / band.fft_size as f64;
        let mut bank = MelBank {
            filters: Vec::new(),
            weights: Vec::new(),
            bin_hz: width,
        };
        let mut empty = Vec::new();
        for filter in 0..band.bins as usize {
            let weight = |k: usize| weight(filter, k as f64 * width) as f32;
            let start = bank.weights.len();
            let first = (0..frequencies).find(|&k| weight(k) > 0.0);
            let Some(first) = first else {
                empty.push(filter);
                continue;
            };
            bank.weights
                .extend((first..frequencies).map(weight).take_while(|&w| w > 0.0));
            let weights = start..bank.weights.len();
            bank.filters.push(Filter { first, weights });
        }
        if let Some(first) = empty.first() {
            let (Band { bins, fft_size, .. }, empty) = (band, empty.len());
            let reason = format!(
                "{empty} of {bins} mel bins are empty, the first is {first}: their filters cover no FFT bin; use fewer mel-bins or an fft-size above {fft_size}"
            );
            return Err(FrontEndError::Conflict { reason });
        }
        Ok(bank)
    }

    /// Number of filters that cover only frequencies from `hz` on.
    pub fn above(&self, hz: f64) -> usize {
        let is_above = |filter: &&Filter| filter.first as f64 * self.bin_hz >= hz;
        self.filters.iter().filter(is_above).count()
    }

    /// Number of filters.
    pub fn len(&self) -> usize {
        self.filters.len()
    }

    /// Logarithm of the energy under each filter, clamped to `floor`.
    pub fn log_energies(&self, spectrum: &[f32], floor: f32, out: &mut [f32]) {
        for (Filter { first, weights }, out) in self.filters.iter().zip(out) {
            let energy = dot(&self.weights[weights.clone()], &spectrum[*first..]);
            *out = energy.max(floor).ln();
        }
    }
}

impl Band {
    fn edges(&self) -> Result<(f64, f64), FrontEndError> {
        in_range("mel-bins", self.bins, 1.0..=4096.0)?;
        let nyquist = f64::from(self.sample_rate) / 2.0;
        let (low, high) = (self.low_hz, self.high_hz.unwrap_or(nyquist));
        if low >= 0.0 && low < high && high <= nyquist {
            return Ok((low, high));
        }
        let reason = format!(
            "low-hz = {low}, high-hz = {high}: expected 0 ≤ low-hz < high-hz ≤ {nyquist}, half the sample rate"
        );
        Err(FrontEndError::Conflict { reason })
    }
}

/// Slaney's scale is linear below this frequency and logarithmic above.
const LINEAR_TO_HZ: f64 = 1000.0;
const LINEAR_HZ_PER_MEL: f64 = 200.0 / 3.0;

/// Logarithmic part of Slaney's scale: 27 mels correspond to a factor of 6.4 in frequency.
fn log_step() -> f64 {
    6.4_f64.ln() / 27.0
}

impl MelScale {
    fn mel(self, hz: f64) -> f64 {
        match self {
            MelScale::Slaney if hz < LINEAR_TO_HZ => hz / LINEAR_HZ_PER_MEL,
            MelScale::Slaney => {
                LINEAR_TO_HZ / LINEAR_HZ_PER_MEL + (hz / LINEAR_TO_HZ).ln() / log_step()
            }
            MelScale::Htk => 2595.0 * (1.0 + hz / 700.0).log10(),
        }
    }

    fn hz(self, mel: f64) -> f64 {
        let linear_to = LINEAR_TO_HZ / LINEAR_HZ_PER_MEL;
        match self {
            MelScale::Slaney if mel < linear_to => mel * LINEAR_HZ_PER_MEL,
            MelScale::Slaney => LINEAR_TO_HZ * ((mel - linear_to) * log_step()).exp(),
            MelScale::Htk => 700.0 * (10f64.powf(mel / 2595.0) - 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mel_scales_are_invertible() {
        for scale in [MelScale::Slaney, MelScale::Htk] {
            for hz in [0.0, 20.0, 999.9, 1000.0, 1000.1, 4321.0, 22_050.0] {
                assert!(
                    (scale.hz(scale.mel(hz)) - hz).abs() < 1e-8,
                    "{scale:?} {hz}"
                );
            }
        }
        assert!((MelScale::Slaney.mel(6400.0) - 42.0).abs() < 1e-12);
    }
}
