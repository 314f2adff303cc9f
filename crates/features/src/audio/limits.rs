//! Limits on the number of samples, checked before samples are decoded.
//!
//! FLAC stores a minute of silence in a few bytes, and a header may claim any number of samples. So a file may be at most
//! `max_minutes` long, and its samples may need at most 64 MiB, or 64 times the size of the file if that is larger.

use super::error::AudioError;
use super::resample::resampled_len;
use super::types::{AudioInfo, DecodeOptions};
use crate::files::{bytes_text, decoded_bytes};

const SAMPLE: u64 = size_of::<f32>() as u64;

/// Checks that this many samples are within the limits.
pub(super) fn check(
    file: &str,
    file_bytes: u64,
    samples: u64,
    info: &AudioInfo,
    options: &DecodeOptions,
) -> Result<(), AudioError> {
    let rate = u64::from(info.rate);
    let most = u64::from(options.max_minutes)
        .saturating_mul(60)
        .saturating_mul(rate);
    if samples > most {
        let minutes = samples as f64 / rate as f64 / 60.0;
        let limit = options.max_minutes;
        return Err(AudioError::undecodable(
            file,
            format!(
                "{minutes:.1} minutes of audio, but the limit is {limit}: split the file, or raise --max-utterance-minutes"
            ),
        ));
    }
    let resampled = options.rate.map_or(samples, |to| {
        samples.max(resampled_len(samples, info.rate, to))
    });
    let (needed, limit) = (resampled.saturating_mul(SAMPLE), decoded_bytes(file_bytes));
    if needed > limit {
        let (needed, limit) = (bytes_text(needed), bytes_text(limit));
        return Err(AudioError::undecodable(
            file,
            format!(
                "{samples} samples need {needed} of memory, but the limit for a file of {} is {limit}: if it is not damaged, convert it to WAV",
                bytes_text(file_bytes)
            ),
        ));
    }
    Ok(())
}
