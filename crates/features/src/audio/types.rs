//! Types of audio data, and the range of valid values.

use crate::files::Limits;

/// Valid sample rates in Hz. A header with any other rate is damaged.
pub const RATES: std::ops::RangeInclusive<u32> = 100..=768_000;

/// Largest valid sample. Full scale is 1. Float files may exceed it slightly, and some use the 16-bit range; anything
/// larger is damage.
pub const LARGEST_SAMPLE: f32 = 65_536.0;

/// One channel of audio. Full scale is ±1, so 16-bit samples are exact multiples of 1/32768.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waveform {
    /// The samples, in time order.
    pub samples: Vec<f32>,
    /// Sample rate in Hz.
    pub rate: u32,
}

/// Which channel of a file to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// The mean of all channels.
    #[default]
    Mix,
    /// One channel, numbered from 0.
    Index(usize),
}

/// Options of `decode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeOptions {
    /// Which channel to return.
    pub channel: Channel,
    /// The rate to resample to; `None` keeps the rate of the file.
    pub rate: Option<u32>,
    /// Maximum duration in minutes (default 60). A longer file is an error before it is decoded, if its header tells.
    pub max_minutes: u32,
}

impl Default for DecodeOptions {
    fn default() -> Self {
        DecodeOptions {
            channel: Channel::default(),
            rate: None,
            max_minutes: Limits::default().audio_minutes,
        }
    }
}

/// The contents of a file's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AudioInfo {
    /// Number of samples per channel, if the header has it. The header of a streamed file may not.
    pub samples: Option<u64>,
    /// Sample rate in Hz.
    pub rate: u32,
    /// Number of channels.
    pub channels: usize,
}

/// The first sample that is NaN, infinite or larger than [`LARGEST_SAMPLE`], with its index.
pub(crate) fn first_invalid_sample(samples: &[f32]) -> Option<(usize, &f32)> {
    // Also false for NaN.
    let is_valid = |s: &f32| s.abs() <= LARGEST_SAMPLE;
    // Check all samples without early exit first: that loop vectorises.
    if samples.iter().fold(true, |all, s| all & is_valid(s)) {
        return None;
    }
    samples.iter().enumerate().find(|(_, s)| !is_valid(s))
}
