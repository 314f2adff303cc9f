//! Numbers from a configuration, checked before anything is sized by them.

use super::error::FrontEndError;

/// No frame and no transform is longer than this: far beyond speech, and small enough to allocate at once.
pub(super) const LONGEST: usize = 65_536;

pub(super) fn in_range(
    parameter: &'static str,
    value: f64,
    least: f64,
    most: f64,
    expected: &'static str,
) -> Result<(), FrontEndError> {
    // NaN is in no range.
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(FrontEndError::OutOfRange {
        parameter,
        value,
        expected,
    })
}

pub(super) fn sample_rate(parameter: &'static str, rate: u32) -> Result<(), FrontEndError> {
    in_range(
        parameter,
        rate.into(),
        1000.0,
        768_000.0,
        "from 1000 to 768000 Hz",
    )
}

/// Milliseconds as a number of samples.
pub(super) fn size(
    parameter: &'static str,
    ms: f64,
    rate: u32,
    round: fn(f64) -> f64,
) -> Result<usize, FrontEndError> {
    // A hair more than the product, so that an error of rounding does not cost a whole sample.
    let samples = round(ms * f64::from(rate) / 1000.0 + 1e-6);
    let expected = "a time of 2 samples at least and of 65536 at most";
    let in_samples = in_range(parameter, samples, 2.0, LONGEST as f64, expected);
    // The message gives the value as it was written.
    in_samples.map_err(|_| FrontEndError::OutOfRange {
        parameter,
        value: ms,
        expected,
    })?;
    Ok(samples as usize)
}

/// The length of a transform: even, and no shorter than the window.
pub(super) fn fft_size(
    parameter: &'static str,
    size: usize,
    window: usize,
) -> Result<usize, FrontEndError> {
    if !size.is_multiple_of(2) || size > LONGEST {
        return Err(FrontEndError::OutOfRange {
            parameter,
            value: size as f64,
            expected: "even, and 65536 at most",
        });
    }
    if size < window {
        return Err(FrontEndError::FftTooShort {
            fft_size: size,
            window,
        });
    }
    Ok(size)
}
