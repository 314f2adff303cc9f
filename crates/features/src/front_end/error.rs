//! What can be wrong with a front end, with its written form, and with what it is given.

use thiserror::Error;

use crate::audio::AudioError;

/// A front end that cannot be built, or samples that it cannot take.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FrontEndError {
    /// A number outside its range.
    #[error("{parameter} is {value}: it must be {expected}")]
    OutOfRange {
        /// The name of the parameter in the configuration.
        parameter: &'static str,
        /// The value it was given.
        value: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// Edges of the mel filters that leave nothing between, or go beyond half the sample rate.
    #[error(
        "the mel filters go from low-hz = {low} to high-hz = {high}: they must rise, from 0 at least to half the sample rate ({nyquist}) at most"
    )]
    Band {
        /// The lower edge in Hz.
        low: f64,
        /// The upper edge in Hz.
        high: f64,
        /// Half the sample rate.
        nyquist: f64,
    },
    /// A Fourier transform shorter than the window.
    #[error(
        "fft-size = {fft_size} is shorter than the window of {window} samples: use {} or more", .window.next_power_of_two()
    )]
    FftTooShort {
        /// The length of the transform.
        fft_size: usize,
        /// The length of the window in samples.
        window: usize,
    },
    /// A mel filter that falls between two frequencies of the transform.
    #[error(
        "mel filter {filter} of {bins} lies between two frequencies of the Fourier transform and would always be silent: use fewer mel-bins or an fft-size above {fft_size}"
    )]
    EmptyFilter {
        /// The filter, from 0.
        filter: usize,
        /// How many filters there are.
        bins: usize,
        /// The length of the transform.
        fft_size: usize,
    },
    /// More cepstra than mel bins.
    #[error(
        "cepstra = {cepstra} is more than mel-bins = {bins}: the cosine transform has no more to give"
    )]
    CepstraOverBins {
        /// The number of cepstra.
        cepstra: usize,
        /// The number of mel bins.
        bins: usize,
    },
    /// Samples of another rate than the front end was made for.
    #[error(
        "the samples are at {actual} Hz and the front end takes {expected} Hz: resample them, or set sample-rate = {actual}"
    )]
    Rate {
        /// The front end's rate.
        expected: u32,
        /// The samples' rate.
        actual: u32,
    },
    /// A sample that is no sound.
    #[error("sample {index} is {value}: samples are numbers in a scale of ±1")]
    Sample {
        /// The position of the sample, from 0.
        index: usize,
        /// Its value.
        value: f32,
    },
}

/// A file that gave no features: it could not be decoded, or the front end could not take it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The file.
    #[error(transparent)]
    Audio(#[from] AudioError),
    /// The front end.
    #[error("{file}: {source}")]
    FrontEnd {
        /// The file.
        file: String,
        /// What the front end refused.
        source: FrontEndError,
    },
}

/// A written front end that cannot be read.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ParseFrontEndError {
    /// Not the name of a preset.
    #[error("unknown front end `{name}`{}; the presets are {}", .nearest.map(|n| format!(" (did you mean `{n}`?)")).unwrap_or_default(), .valid.join(", "))]
    UnknownPreset {
        /// What was given.
        name: String,
        /// The nearest preset, if any is near.
        nearest: Option<&'static str>,
        /// All presets.
        valid: &'static [&'static str],
    },
    /// No kind of features, or several.
    #[error("a front end is exactly one of `preset`, `mfcc`, `fbank` and `mel`; this one has {}", if .given.is_empty() { "none".to_string() } else { .given.join(" and ") })]
    Kinds {
        /// Those that were given.
        given: Vec<&'static str>,
    },
    /// Well written, but not a front end that can be built.
    #[error(transparent)]
    Invalid(#[from] FrontEndError),
}
