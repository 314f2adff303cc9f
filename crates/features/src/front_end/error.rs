//! Errors of front ends: invalid settings, invalid configuration, invalid input.

use thiserror::Error;

#[cfg(feature = "audio")]
use crate::audio::AudioError;

/// Invalid settings of a front end, or input that it cannot process.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FrontEndError {
    /// A setting is out of range.
    #[error("{parameter} is {value}: it must be {expected}")]
    OutOfRange {
        /// Name of the setting in a configuration.
        parameter: &'static str,
        /// Its value.
        value: f64,
        /// The allowed values.
        expected: String,
    },
    /// Settings that are valid alone but not together.
    #[error("{reason}")]
    Conflict {
        /// Which settings, and what to change.
        reason: String,
    },
    /// The sample rate differs from the front end's.
    #[error(
        "samples are at {actual} Hz but the front end expects {expected} Hz: resample them, or set sample-rate = {actual}"
    )]
    Rate {
        /// Sample rate of the front end.
        expected: u32,
        /// Sample rate of the input.
        actual: u32,
    },
    /// A sample is not finite, or far beyond full scale.
    #[error("sample {index} is {value}: samples must be finite, with full scale at ±1")]
    Sample {
        /// Index of the sample, from 0.
        index: usize,
        /// Its value.
        value: f32,
    },
}

/// A file whose features cannot be computed.
#[cfg(feature = "audio")]
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The file cannot be decoded.
    #[error(transparent)]
    Audio(#[from] AudioError),
    /// The front end cannot process the file.
    #[error("{file}: {source}")]
    FrontEnd {
        /// Name of the file.
        file: String,
        /// The error of the front end.
        source: FrontEndError,
    },
}

/// A front end in a configuration that cannot be parsed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ParseFrontEndError {
    /// Not the name of a preset, or not exactly one kind of features.
    #[error("{0}")]
    Unknown(String),
    /// The settings are invalid.
    #[error(transparent)]
    Invalid(#[from] FrontEndError),
}
