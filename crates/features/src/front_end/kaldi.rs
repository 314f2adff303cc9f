//! MFCC and log mel energies, step by step as Kaldi computes them.
//!
//! A frame is: cut out, dithered, centred on 0, its energy taken, pre-emphasised, windowed, transformed, summed under
//! mel filters, its logarithm taken, and for MFCC turned to cepstra. Samples are scaled to 16 bits first. That scale
//! is a power of two, so it costs no precision: 16-bit audio enters as the same whole numbers that Kaldi reads.

use super::cepstrum::Cepstrum;
use super::config::{Dither, Energy, Fbank, Frames, Mfcc, Spectrum};
use super::dither::Noise;
use super::error::FrontEndError;
use super::lanes::{sum, sum_of_squares};
use super::mel_bank::{Band, MelBank};
use super::range::{fft_size, in_range, sample_rate};
use super::spectrum::Transform;
use super::window::Ends;

/// Full scale in Kaldi's units.
const FULL_SCALE: f32 = 32_768.0;

/// Everything that frames need, planned and allocated once.
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
        let expected = "from 1 to the number of mel bins";
        in_range("cepstra", config.cepstra.into(), 1.0, f64::MAX, expected)?;
        let expected = "0 for none, or from 1 to 1000";
        if config.lifter != 0.0 {
            in_range("lifter", config.lifter, 1.0, 1000.0, expected)?;
        }
        let (cepstra, bins) = (config.cepstra as usize, config.mel_bins as usize);
        if cepstra > bins {
            return Err(FrontEndError::CepstraOverBins { cepstra, bins });
        }
        let mut plan = Self::plan(
            &config.frames,
            (config.mel_bins, config.low_hz, config.high_hz),
            (config.energy, config.energy_floor),
            Spectrum::Power,
        )?;
        plan.cepstrum = Some(Cepstrum::new(cepstra, bins, config.lifter));
        plan.dims = cepstra;
        Ok(plan)
    }

    pub fn fbank(config: &Fbank) -> Result<Self, FrontEndError> {
        let mut plan = Self::plan(
            &config.frames,
            (config.mel_bins, config.low_hz, config.high_hz),
            (config.energy, config.energy_floor),
            config.spectrum,
        )?;
        plan.dims = plan.bank.len() + usize::from(config.energy != Energy::Off);
        Ok(plan)
    }

    fn plan(
        frames: &Frames,
        (bins, low_hz, high_hz): (u32, f64, Option<f64>),
        (energy, energy_floor): (Energy, f64),
        kind: Spectrum,
    ) -> Result<Self, FrontEndError> {
        sample_rate("frames.sample-rate", frames.sample_rate)?;
        let (length, shift) = (frames.length()?, frames.shift()?);
        let preemphasis = frames.preemphasis;
        in_range("frames.preemphasis", preemphasis, 0.0, 1.0, "from 0 to 1")?;
        in_range(
            "energy-floor",
            energy_floor,
            0.0,
            f32::MAX.into(),
            "0 or more",
        )?;
        if let Some(dither) = frames.dither {
            let expected = "from 0 to 32768";
            in_range(
                "frames.dither.amount",
                dither.amount,
                0.0,
                32_768.0,
                expected,
            )?;
        }
        let fft_size = fft_size(
            "frames.fft-size",
            match frames.fft_size {
                Some(size) => size as usize,
                None => length.next_power_of_two(),
            },
            length,
        )?;
        let bank = MelBank::kaldi(&Band {
            bins,
            low_hz,
            high_hz,
            sample_rate: frames.sample_rate,
            fft_size,
        })?;
        Ok(Kaldi {
            shift,
            snip_edges: frames.snip_edges,
            remove_dc: frames.remove_dc,
            preemphasis: preemphasis as f32,
            dither: frames.dither,
            window: frames.window.samples(length, Ends::Symmetric),
            energy,
            log_energy_floor: energy_floor.max(f32::EPSILON.into()).ln() as f32,
            kind,
            transform: Transform::new(fft_size),
            dims: bank.len(),
            log_mel: vec![0.0; bank.len()],
            bank,
            cepstrum: None,
            frame: vec![0.0; length],
        })
    }

    pub fn dims(&self) -> usize {
        self.dims
    }

    pub fn frames(&self, samples: usize) -> usize {
        if !self.snip_edges {
            return samples.saturating_add(self.shift / 2) / self.shift;
        }
        match samples.checked_sub(self.window.len()) {
            Some(beyond_first) => 1 + beyond_first / self.shift,
            None => 0,
        }
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
        let start = index * self.shift;
        if self.snip_edges {
            scale(&samples[start..start + length], &mut self.frame);
            return;
        }
        // The frame's middle is the middle of its shift.
        let start = (start + self.shift / 2) as isize - (length / 2) as isize;
        if start >= 0 && start as usize + length <= samples.len() {
            let start = start as usize;
            scale(&samples[start..start + length], &mut self.frame);
        } else {
            for (i, value) in self.frame.iter_mut().enumerate() {
                *value = samples[mirrored(start + i as isize, samples.len())] * FULL_SCALE;
            }
        }
    }

    /// From the frame that was cut to its features.
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

        self.bank
            .apply(self.transform.spectrum(self.kind), &mut self.log_mel);
        for value in &mut self.log_mel {
            *value = value.max(f32::EPSILON).ln();
        }
        let log_energy = energy.max(f32::EPSILON).ln().max(self.log_energy_floor);
        match &self.cepstrum {
            Some(cepstrum) => {
                cepstrum.apply(&self.log_mel, row);
                if self.energy != Energy::Off {
                    row[0] = log_energy;
                }
            }
            None if self.energy != Energy::Off => {
                row[0] = log_energy;
                row[1..].copy_from_slice(&self.log_mel);
            }
            None => row.copy_from_slice(&self.log_mel),
        }
    }
}

fn scale(from: &[f32], to: &mut [f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = from * FULL_SCALE;
    }
}

/// Takes a share of each sample from the next (of the first, from itself), and multiplies by the window.
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

/// The sample that stands at `index` when the waveform is mirrored at both ends, the end samples doubled.
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
