//! Range checks of settings.

use std::ops::RangeInclusive;

use super::error::FrontEndError;

/// Largest frame and FFT size: far beyond speech, and small enough to allocate at once.
const LONGEST: usize = 65_536;

/// Returns an error unless `is_fine`.
pub(super) fn require(
    is_fine: bool,
    parameter: &'static str,
    value: impl Into<f64>,
    expected: impl Into<String>,
) -> Result<(), FrontEndError> {
    if is_fine {
        return Ok(());
    }
    Err(FrontEndError::OutOfRange {
        parameter,
        value: value.into(),
        expected: expected.into(),
    })
}

pub(super) fn in_range(
    parameter: &'static str,
    value: impl Into<f64>,
    range: RangeInclusive<f64>,
) -> Result<(), FrontEndError> {
    let (value, (least, most)) = (value.into(), (range.start(), range.end()));
    let expected = format!("from {least} to {most}");
    // A range never contains NaN.
    require(range.contains(&value), parameter, value, expected)
}

pub(super) fn sample_rate(parameter: &'static str, rate: u32) -> Result<(), FrontEndError> {
    let is_fine = (1000..=768_000).contains(&rate);
    require(is_fine, parameter, rate, "from 1000 to 768000 Hz")
}

/// Converts milliseconds to a number of samples.
pub(super) fn size(
    parameter: &'static str,
    ms: f64,
    rate: u32,
    round: fn(f64) -> f64,
) -> Result<usize, FrontEndError> {
    // The small offset keeps rounding errors from costing a whole sample.
    let samples = round(ms * f64::from(rate) / 1000.0 + 1e-6);
    let is_fine = (2.0..=LONGEST as f64).contains(&samples);
    let expected = "between 2 and 65536 samples long";
    require(is_fine, parameter, ms, expected)?;
    Ok(samples as usize)
}

/// Checks an FFT size: even, and not shorter than the window.
pub(super) fn fft_size(
    parameter: &'static str,
    size: usize,
    window: usize,
) -> Result<usize, FrontEndError> {
    let is_fine = size.is_multiple_of(2) && size <= LONGEST;
    require(is_fine, parameter, size as f64, "even and at most 65536")?;
    if size < window {
        let enough = window.next_power_of_two();
        let reason = format!(
            "fft-size = {size} is shorter than the window of {window} samples: use {enough} or more"
        );
        return Err(FrontEndError::Conflict { reason });
    }
    Ok(size)
}
