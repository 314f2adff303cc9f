//! What can be wrong with a file of sound.

use thiserror::Error;

/// A file that cannot be turned into samples.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AudioError {
    /// The file cannot be opened or read.
    #[error("{file}: {source}")]
    Read {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The first bytes are of no format that is read here.
    #[error(
        "{file} is neither WAV nor FLAC: it begins with {begins}; convert it, for instance with `sox` or `ffmpeg`"
    )]
    Format {
        /// The file.
        file: String,
        /// Its first bytes, as text where they are text.
        begins: String,
    },
    /// WAV or FLAC, but with an encoding inside that is not read, or with a structure that cannot be followed.
    #[error("{file} cannot be decoded: {reason}")]
    Malformed {
        /// The file.
        file: String,
        /// What the decoder said.
        reason: String,
    },
    /// A header with a rate or a number of channels that no recording has.
    #[error("{file}: its header says {what}, which no recording has; the file is damaged")]
    Header {
        /// The file.
        file: String,
        /// The impossible value.
        what: String,
    },
    /// Fewer samples than the header promises, or more.
    #[error(
        "{file} is cut short or damaged: its header promises {promised} samples and {decoded} could be decoded; fetch or make it again"
    )]
    Incomplete {
        /// The file.
        file: String,
        /// How many the header says there are.
        promised: u64,
        /// How many there are.
        decoded: u64,
    },
    /// As many samples as promised, but not the ones that were encoded.
    #[error(
        "{file} is damaged: its samples do not have the MD5 checksum in its header; fetch or make it again"
    )]
    Checksum {
        /// The file.
        file: String,
    },
    /// A header and no sound.
    #[error("{file} has no samples: remove it from the corpus")]
    Empty {
        /// The file.
        file: String,
    },
    /// A float file with a value that is no sound.
    #[error(
        "{file}: sample {index} is {value}; samples are numbers in a scale of ±1, so the file is damaged or not sound"
    )]
    Sample {
        /// The file.
        file: String,
        /// The position of the sample, from 0.
        index: usize,
        /// Its value.
        value: f32,
    },
    /// A channel that the file does not have.
    #[error("{file} has no channel {channel}: it has {channels}, counted from 0")]
    NoSuchChannel {
        /// The file.
        file: String,
        /// The channel asked for.
        channel: usize,
        /// How many there are.
        channels: usize,
    },
    /// A rate that cannot be resampled from or to.
    #[error(
        "cannot resample from {from} Hz to {to} Hz: rates are from {} to {} Hz",
        super::RATES.start(),
        super::RATES.end()
    )]
    Rate {
        /// The rate of the samples.
        from: u32,
        /// The rate asked for.
        to: u32,
    },
    /// The resampler refused its input.
    #[error("resampling from {from} Hz to {to} Hz failed: {reason}")]
    Resample {
        /// The rate of the samples.
        from: u32,
        /// The rate asked for.
        to: u32,
        /// What the resampler said.
        reason: String,
    },
}
