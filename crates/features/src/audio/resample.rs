//! From one sample rate to another.
//!
//! A long windowed-sinc low-pass filter, applied in blocks by Fourier transforms. The filter's delay is cut off, so
//! sample `i` of the output is the sound at the time of sample `i · from / to` of the input.

use std::cell::RefCell;

use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Fft, FixedSync, Resampler, WindowFunction};

use super::error::AudioError;
use super::types::{RATES, Waveform};

/// A block has at least this many input samples: the longer it is, the nearer to half the lower rate the filter cuts.
const BLOCK: usize = 4096;

/// The filter of one pair of rates.
struct Filter {
    from: u32,
    to: u32,
    fft: Fft<f32>,
}

thread_local! {
    /// The filter last used: planning the transforms costs more than resampling an utterance, and a corpus has one rate.
    static LAST: RefCell<Option<Filter>> = const { RefCell::new(None) };
}

/// How many samples `samples` become: round(samples · to / from).
pub fn resampled_len(samples: u64, from: u32, to: u32) -> u64 {
    if from == to || from == 0 {
        return samples;
    }
    let (numerator, from) = (u128::from(samples) * u128::from(to), u128::from(from));
    u64::try_from((numerator + from / 2) / from).unwrap_or(u64::MAX)
}

/// Resamples to `rate`; at that rate already, the samples stay as they are, bit for bit.
///
/// # Errors
/// One of the rates is outside [`RATES`].
pub fn resample(waveform: Waveform, rate: u32) -> Result<Waveform, AudioError> {
    let (from, to) = (waveform.rate, rate);
    if !RATES.contains(&from) || !RATES.contains(&to) {
        return Err(AudioError::Rate { from, to });
    }
    if from == to || waveform.samples.is_empty() {
        return Ok(Waveform { rate, ..waveform });
    }
    let failed = |reason: String| AudioError::Resample { from, to, reason };
    let samples = LAST.with_borrow_mut(|last| {
        let filter = match last.take().filter(|f| (f.from, f.to) == (from, to)) {
            Some(filter) => filter,
            None => plan(from, to).map_err(|e| failed(e.to_string()))?,
        };
        let filter = last.insert(filter);
        let input = InterleavedSlice::new(&waveform.samples, 1, waveform.samples.len())
            .map_err(|e| failed(e.to_string()))?;
        let output = filter
            .fft
            .process_all(&input, waveform.samples.len(), None)
            .map_err(|e| failed(e.to_string()))?;
        let mut samples = output.take_data();
        // The resampler rounds the length up.
        samples.truncate(resampled_len(waveform.samples.len() as u64, from, to) as usize);
        Ok(samples)
    })?;
    Ok(Waveform { samples, rate })
}

fn plan(from: u32, to: u32) -> Result<Filter, rubato::ResamplerConstructionError> {
    let unit = (from / gcd(from, to)) as usize;
    // An even number of units a block: the delay is half a block, and must be a whole number of samples on both sides.
    let block = unit * BLOCK.div_ceil(unit).next_multiple_of(2);
    let fft = Fft::new_custom(
        from as usize,
        to as usize,
        block,
        1,
        1,
        WindowFunction::BlackmanHarris2,
        FixedSync::Both,
    )?;
    Ok(Filter { from, to, fft })
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
