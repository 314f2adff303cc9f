//! What can be wrong with a front end, with its written form, and with what it is given.

use thiserror::Error;

#[cfg(feature = "audio")]
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
        expected: String,
    },
    /// Parameters that are fine alone and exclude each other.
    #[error("{reason}")]
    Conflict {
        /// Which, and what to change.
        reason: String,
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

#[cfg(feature = "audio")]
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
    /// Not the name of a preset, or not exactly one kind of features.
    #[error("{0}")]
    Unknown(String),
    /// Well written, but not a front end that can be built.
    #[error(transparent)]
    Invalid(#[from] FrontEndError),
}
