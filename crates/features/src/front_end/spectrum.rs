//! The power or magnitude spectrum of one frame.

use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};

use super::config::Spectrum;

/// A planned FFT with its buffers.
#[derive(Clone)]
pub(super) struct Transform {
    fft: Arc<dyn RealToComplex<f32>>,
    /// Input of the FFT, which overwrites it: every value must be written again for every frame.
    input: Vec<f32>,
    output: Vec<Complex<f32>>,
    scratch: Vec<Complex<f32>>,
    spectrum: Vec<f32>,
}

impl Transform {
    pub fn new(size: usize) -> Self {
        let fft = RealFftPlanner::new().plan_fft_forward(size);
        Transform {
            input: fft.make_input_vec(),
            output: fft.make_output_vec(),
            scratch: fft.make_scratch_vec(),
            spectrum: vec![0.0; fft.make_output_vec().len()],
            fft,
        }
    }

    /// The first `length` input values, for the caller to write. The rest is set to zero.
    pub fn input(&mut self, length: usize) -> &mut [f32] {
        let (frame, rest) = self.input.split_at_mut(length);
        rest.fill(0.0);
        frame
    }

    /// The spectrum from 0 Hz to half the sample rate.
    pub fn spectrum(&mut self, kind: Spectrum) -> &[f32] {
        let done =
            self.fft
                .process_with_scratch(&mut self.input, &mut self.output, &mut self.scratch);
        debug_assert!(done.is_ok(), "the buffers are the plan's own: {done:?}");
        for (value, bin) in self.spectrum.iter_mut().zip(&self.output) {
            *value = bin.re * bin.re + bin.im * bin.im;
        }
        if kind == Spectrum::Magnitude {
            for value in &mut self.spectrum {
                *value = value.sqrt();
            }
        }
        &self.spectrum
    }
}
