//! Resampling.
//!
//! A long windowed-sinc low-pass filter, applied block by block with FFTs. The delay of the filter is removed: output
//! sample `i` is at the time of input sample `i · from / to`.

use std::cell::RefCell;

use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Fft, FixedSync, Resampler, WindowFunction};

use super::error::AudioError;
use super::types::{RATES, Waveform};

/// Minimum block size in input samples. Longer blocks move the cutoff closer to half the lower rate.
const BLOCK: usize = 4096;

/// The filter for one pair of rates.
struct Filter {
    from: u32,
    to: u32,
    fft: Fft<f32>,
}

thread_local! {
    /// The last filter used. Planning the FFTs costs more than resampling an utterance, and a corpus has one rate.
    static LAST: RefCell<Option<Filter>> = const { RefCell::new(None) };
}

/// Number of samples after resampling: round(samples · to / from).
pub fn resampled_len(samples: u64, from: u32, to: u32) -> u64 {
    if from == to || from == 0 {
        return samples;
    }
    let (numerator, from) = (u128::from(samples) * u128::from(to), u128::from(from));
    u64::try_from((numerator + from / 2) / from).unwrap_or(u64::MAX)
}

/// Largest number of input samples that corresponds to a whole number of output samples. The filter needs memory and time for
/// a few of these units. From 44,100 Hz to 16,000 Hz it is 441; only unusual rates, often of damaged headers, exceed the limit.
const LARGEST_UNIT: u32 = 48_000;

/// Resamples to `rate`. If the rate is already right, the samples are returned unchanged.
///
/// # Errors
/// One of the rates is outside [`RATES`], or their common factor is too small.
pub fn resample(waveform: Waveform, rate: u32) -> Result<Waveform, AudioError> {
    let (from, to) = (waveform.rate, rate);
    if !RATES.contains(&from) || !RATES.contains(&to) {
        return Err(AudioError::Rate { from, to });
    }
    if from == to || waveform.samples.is_empty() {
        return Ok(Waveform { rate, ..waveform });
    }
    let failed = |reason: String| AudioError::Resample { from, to, reason };
    if from / gcd(from, to) > LARGEST_UNIT {
        return Err(failed(
            "the rates have no large common factor; convert the file to a usual rate".into(),
        ));
    }
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
    // An even number of units per block: the delay is half a block and must be a whole number of samples at both rates.
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
