//! MFCC and log mel energies, following Kaldi step by step.
//!
//! The steps for each frame: dither, remove the mean, take the energy, pre-emphasise, window, FFT, mel filters,
//! logarithm, and for MFCC the cosine transform. Samples are first scaled to the range of 16-bit integers. The factor
//! is a power of two, so the scaling is exact, and 16-bit audio becomes the same integers that Kaldi reads.

use super::cepstrum::Cepstrum;
use super::config::{Dither, Energy, Fbank, Mfcc, Spectrum};
use super::dither::Noise;
use super::error::FrontEndError;
use super::lanes::{sum, sum_of_squares};
use super::mel_bank::{Band, MelBank};
use super::range::{fft_size, in_range, require, sample_rate, size};
use super::spectrum::Transform;
use super::window::Ends;

/// Full scale in Kaldi.
const FULL_SCALE: f32 = 32_768.0;

/// Tables and buffers, planned and allocated once.
#[derive(Clone)]
pub(super) struct Kaldi {
    shift: usize,
    snip_edges: bool,
    remove_dc: bool,
    preemphasis: f32,
    dither: Option<Dither>,
    window: Vec<f32>,
    energy: Energy,
    log_energy_floor: f32,
    kind: Spectrum,
    transform: Transform,
    bank: MelBank,
    /// For MFCC.
    cepstrum: Option<Cepstrum>,
    dims: usize,
    frame: Vec<f32>,
    log_mel: Vec<f32>,
}

impl Kaldi {
    pub fn mfcc(config: &Mfcc) -> Result<Self, FrontEndError> {
        let (cepstra, bins) = (config.cepstra as usize, config.mel_bins as usize);
        let expected = "from 1 to the number of mel bins";
        require(cepstra > 0, "cepstra", config.cepstra, expected)?;
        let lifter = config.lifter;
        let is_fine = lifter == 0.0 || (1.0..=1000.0).contains(&lifter);
        require(is_fine, "lifter", lifter, "0 for none, or from 1 to 1000")?;
        if cepstra > bins {
            let reason = format!(
                "cepstra = {cepstra} exceeds mel-bins = {bins}: lower cepstra or raise mel-bins"
            );
            return Err(FrontEndError::Conflict { reason });
        }
        let mut plan = Self::fbank(&Fbank {
            mel_bins: config.mel_bins,
            low_hz: config.low_hz,
            high_hz: config.high_hz,
            spectrum: Spectrum::Power,
            energy: config.energy,
            energy_floor: config.energy_floor,
            frames: config.frames.clone(),
        })?;
        plan.cepstrum = Some(Cepstrum::new(cepstra, bins, lifter));
        plan.dims = cepstra;
        Ok(plan)
    }

    pub fn fbank(config: &Fbank) -> Result<Self, FrontEndError> {
        let (frames, energy_floor) = (&config.frames, config.energy_floor);
        let rate = frames.sample_rate;
        sample_rate("frames.sample-rate", rate)?;
        let length = size("frames.length-ms", frames.length_ms, rate, f64::floor)?;
        let shift = size("frames.shift-ms", frames.shift_ms, rate, f64::floor)?;
        in_range("frames.preemphasis", frames.preemphasis, 0.0..=1.0)?;
        let is_fine = (0.0..=f32::MAX.into()).contains(&energy_floor);
        require(is_fine, "energy-floor", energy_floor, "0 or more")?;
        if let Some(dither) = frames.dither {
            in_range("frames.dither.amount", dither.amount, 0.0..=32_768.0)?;
        }
        let power_of_two = length.next_power_of_two();
        let transform = frames.fft_size.map_or(power_of_two, |size| size as usize);
        let fft_size = fft_size("frames.fft-size", transform, length)?;
        let bank = MelBank::kaldi(&Band {
            bins: config.mel_bins,
            low_hz: config.low_hz,
            high_hz: config.high_hz,
            sample_rate: rate,
            fft_size,
        })?;
        Ok(Kaldi {
            shift,
            snip_edges: frames.snip_edges,
            remove_dc: frames.remove_dc,
            preemphasis: frames.preemphasis as f32,
            dither: frames.dither,
            window: frames.window.samples(length, Ends::Symmetric),
            energy: config.energy,
            log_energy_floor: energy_floor.max(f32::EPSILON.into()).ln() as f32,
            kind: config.spectrum,
            transform: Transform::new(fft_size),
            dims: bank.len() + usize::from(config.energy != Energy::Off),
            log_mel: vec![0.0; bank.len()],
            bank,
            cepstrum: None,
            frame: vec![0.0; length],
        })
    }

    pub fn dims(&self) -> usize {
        self.dims
    }

    pub fn mel_bank(&self) -> &MelBank {
        &self.bank
    }

    pub fn frames(&self, samples: usize) -> usize {
        if !self.snip_edges {
            return samples.saturating_add(self.shift / 2) / self.shift;
        }
        let beyond_first = samples.checked_sub(self.window.len());
        beyond_first.map_or(0, |samples| 1 + samples / self.shift)
    }

    /// Writes [`Kaldi::frames`] rows of [`Kaldi::dims`] values.
    pub fn extract(&mut self, samples: &[f32], out: &mut [f32]) {
        let mut noise = self.dither.map(Noise::new);
        for (index, row) in out.chunks_exact_mut(self.dims).enumerate() {
            self.cut(samples, index);
            if let Some(noise) = &mut noise {
                noise.add_to(&mut self.frame);
            }
            self.features(row);
        }
    }

    /// Copies a frame out of the waveform.
    fn cut(&mut self, samples: &[f32], index: usize) {
        let length = self.frame.len();
        let mut start = (index * self.shift) as isize;
        if !self.snip_edges {
            // The frame is centred on the middle of its shift.
            start += (self.shift / 2) as isize - (length / 2) as isize;
        }
        let inside = usize::try_from(start).ok();
        if let Some(inside) = inside.and_then(|start| samples.get(start..start + length)) {
            for (value, sample) in self.frame.iter_mut().zip(inside) {
                *value = sample * FULL_SCALE;
            }
        } else {
            for (i, value) in self.frame.iter_mut().enumerate() {
                *value = samples[mirrored(start + i as isize, samples.len())] * FULL_SCALE;
            }
        }
    }

    /// Computes the features of the frame in `self.frame`.
    fn features(&mut self, row: &mut [f32]) {
        let frame = &mut self.frame[..];
        if self.remove_dc {
            let mean = sum(frame) / frame.len() as f32;
            for value in &mut *frame {
                *value -= mean;
            }
        }
        let raw_energy = match self.energy {
            Energy::Raw => sum_of_squares(frame),
            _ => 0.0,
        };
        let windowed = self.transform.input(frame.len());
        emphasise(frame, self.preemphasis, &self.window, windowed);
        let energy = match self.energy {
            Energy::Windowed => sum_of_squares(windowed),
            _ => raw_energy,
        };

        let spectrum = self.transform.spectrum(self.kind);
        let log_mel = &mut self.log_mel[..];
        self.bank.log_energies(spectrum, f32::EPSILON, log_mel);
        let log_energy = energy.max(f32::EPSILON).ln().max(self.log_energy_floor);
        match &self.cepstrum {
            Some(cepstrum) => {
                cepstrum.apply(log_mel, row);
                if self.energy != Energy::Off {
                    row[0] = log_energy;
                }
            }
            None if self.energy != Energy::Off => {
                row[0] = log_energy;
                row[1..].copy_from_slice(log_mel);
            }
            None => row.copy_from_slice(log_mel),
        }
    }
}

/// Applies pre-emphasis, then the window. The first sample is its own predecessor.
fn emphasise(frame: &[f32], share: f32, window: &[f32], out: &mut [f32]) {
    let (Some(first), Some(weight), Some(out_first)) =
        (frame.first(), window.first(), out.first_mut())
    else {
        return;
    };
    *out_first = (first - share * first) * weight;
    let pairs = frame[1..].iter().zip(frame);
    for ((out, (value, before)), weight) in out[1..].iter_mut().zip(pairs).zip(&window[1..]) {
        *out = (value - share * before) * weight;
    }
}

/// Maps an index beyond the waveform into it, by mirroring that repeats the end samples.
fn mirrored(index: isize, length: usize) -> usize {
    let period = 2 * length as isize;
    let index = index.rem_euclid(period);
    index.min(period - 1 - index) as usize
}

#[cfg(test)]
mod tests {
    use super::mirrored;

    #[test]
    fn a_waveform_is_mirrored_over_and_over() {
        let indices: Vec<usize> = (-4..8).map(|i| mirrored(i, 3)).collect();
        assert_eq!(indices, [2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]);
        assert_eq!(mirrored(-1000, 1), 0);
    }
}
