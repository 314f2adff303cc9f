//! Log mel magnitudes, following librosa and the Tacotron family.
//!
//! The window is shorter than the FFT. librosa puts it in the middle of the FFT input; here it is at the beginning. The
//! magnitudes are the same, and less data is moved.

use super::config::{Mel, Padding, Spectrum};
use super::error::FrontEndError;
use super::mel_bank::{Band, MelBank};
use super::range::{fft_size, in_range, require, sample_rate, size};
use super::spectrum::Transform;
use super::window::Ends;

/// Tables and buffers, planned and allocated once.
#[derive(Clone)]
pub(super) struct Tacotron {
    shift: usize,
    fft_size: usize,
    center: bool,
    padding: Padding,
    preemphasis: f32,
    window: Vec<f32>,
    kind: Spectrum,
    transform: Transform,
    bank: MelBank,
    floor: f32,
    /// The waveform after pre-emphasis.
    emphasised: Vec<f32>,
}

impl Tacotron {
    pub fn new(config: &Mel) -> Result<Self, FrontEndError> {
        let rate = config.sample_rate;
        sample_rate("sample-rate", rate)?;
        let length = size("length-ms", config.length_ms, rate, f64::round)?;
        let shift = size("shift-ms", config.shift_ms, rate, f64::round)?;
        let fft_size = fft_size("fft-size", config.fft_size as usize, length)?;
        in_range("preemphasis", config.preemphasis, 0.0..=1.0)?;
        let is_fine = (f32::MIN_POSITIVE.into()..=1e6).contains(&config.floor);
        require(is_fine, "floor", config.floor, "above 0")?;
        let band = Band {
            bins: config.mel_bins,
            low_hz: config.low_hz,
            high_hz: config.high_hz,
            sample_rate: rate,
            fft_size,
        };
        Ok(Tacotron {
            shift,
            fft_size,
            center: config.center,
            padding: config.padding,
            preemphasis: config.preemphasis as f32,
            window: config.window.samples(length, Ends::Periodic),
            kind: config.spectrum,
            transform: Transform::new(fft_size),
            bank: MelBank::librosa(&band, config.scale, config.equal_area)?,
            floor: config.floor as f32,
            emphasised: Vec::new(),
        })
    }

    pub fn dims(&self) -> usize {
        self.bank.len()
    }

    pub fn mel_bank(&self) -> &MelBank {
        &self.bank
    }

    pub fn frames(&self, samples: usize) -> usize {
        let first = if self.center { 0 } else { self.fft_size };
        let beyond_first = samples.checked_sub(first).filter(|_| samples > 0);
        beyond_first.map_or(0, |samples| 1 + samples / self.shift)
    }

    /// Writes [`Tacotron::frames`] rows of [`Tacotron::dims`] values.
    pub fn extract(&mut self, samples: &[f32], out: &mut [f32]) {
        let mut emphasised = std::mem::take(&mut self.emphasised);
        let samples = if self.preemphasis == 0.0 {
            samples
        } else {
            let before = std::iter::once(&0.0).chain(samples);
            let emphasis = samples.iter().zip(before);
            emphasised.clear();
            emphasised.extend(emphasis.map(|(value, before)| value - self.preemphasis * before));
            &emphasised
        };
        let dims = self.dims();
        for (index, row) in out.chunks_exact_mut(dims).enumerate() {
            self.cut(samples, index);
            let spectrum = self.transform.spectrum(self.kind);
            self.bank.log_energies(spectrum, self.floor, row);
        }
        self.emphasised = emphasised;
    }

    /// Copies a frame out of the waveform and windows it.
    fn cut(&mut self, samples: &[f32], index: usize) {
        let length = self.window.len();
        let before_window = (self.fft_size - length) / 2;
        let before_frame = if self.center { self.fft_size / 2 } else { 0 };
        let start = (index * self.shift + before_window) as isize - before_frame as isize;
        let input = self.transform.input(length);
        let inside = usize::try_from(start)
            .ok()
            .and_then(|start| samples.get(start..start + length));
        if let Some(frame) = inside {
            for ((out, sample), weight) in input.iter_mut().zip(frame).zip(&self.window) {
                *out = sample * weight;
            }
            return;
        }
        for (i, (out, weight)) in input.iter_mut().zip(&self.window).enumerate() {
            let index = start + i as isize;
            let index = match self.padding {
                Padding::Zero => usize::try_from(index).ok(),
                Padding::Reflect => Some(reflected(index, samples.len())),
            };
            *out = index.and_then(|i| samples.get(i)).unwrap_or(&0.0) * weight;
        }
    }
}

/// Maps an index beyond the waveform into it, by reflection that does not repeat the end samples.
fn reflected(index: isize, length: usize) -> usize {
    let period = (2 * length as isize - 2).max(1);
    let index = index.rem_euclid(period);
    index.min(period - index) as usize
}

#[cfg(test)]
mod tests {
    use super::reflected;

    #[test]
    fn a_waveform_is_reflected_over_and_over() {
        let indices: Vec<usize> = (-4..8).map(|i| reflected(i, 3)).collect();
        assert_eq!(indices, [0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1]);
        assert_eq!(reflected(-1000, 1), 0);
    }
}
