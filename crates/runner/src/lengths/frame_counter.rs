//! Converts durations into frames exactly like a front end.

use padwise_features::front_end::{Extractor, FrontEnd, ParseFrontEndError};

use super::LengthsError;
use crate::corpora::{DEFAULT_FRONT_END, read_front_end};

/// A front end and the name that it was given.
#[derive(Clone, Debug)]
pub struct NamedFrontEnd {
    name: String,
    front_end: FrontEnd,
}

impl NamedFrontEnd {
    /// A preset, or the front end that a TOML file describes.
    pub(super) fn read(name: &str) -> Result<Self, String> {
        Ok(NamedFrontEnd {
            front_end: read_front_end(name)?,
            name: name.to_string(),
        })
    }
}

/// Counts the frames of a front end.
pub(super) struct FrameCounter {
    /// The front end, for captions.
    pub name: String,
    extractor: Extractor,
    rate: f64,
}

impl FrameCounter {
    /// Counts the frames of this front end, or else of the default one. `hop` changes its shift in milliseconds.
    pub fn new(named: Option<&NamedFrontEnd>, hop: Option<f64>) -> Result<Self, LengthsError> {
        let (name, mut front_end) = match named {
            Some(named) => (named.name.as_str(), named.front_end.clone()),
            None => {
                let default = DEFAULT_FRONT_END.parse();
                let default = default.map_err(|error: ParseFrontEndError| {
                    invalid("--features", DEFAULT_FRONT_END, error.to_string())
                })?;
                (DEFAULT_FRONT_END, default)
            }
        };
        let mut name = name.to_string();
        if let Some(hop) = hop {
            if !(hop.is_finite() && hop > 0.0) {
                let remedy = "must be a number of milliseconds above 0, for example --hop 10";
                return Err(invalid("--hop", &hop.to_string(), remedy));
            }
            if hop != front_end.shift_ms() {
                name += &format!(" every {hop} ms");
            }
            front_end = front_end.with_shift_ms(hop);
        }
        let extractor = front_end.extractor().map_err(|error| match hop {
            Some(hop) => invalid("--hop", &hop.to_string(), error.to_string()),
            None => invalid("--features", &name, error.to_string()),
        })?;
        Ok(FrameCounter {
            name,
            extractor,
            rate: front_end.sample_rate().into(),
        })
    }

    /// The number of frames in this many seconds, which must not be negative.
    pub fn frames(&self, seconds: f64) -> f64 {
        // A conversion to an integer saturates.
        self.extractor
            .frames((seconds * self.rate).round() as usize) as f64
    }
}

fn invalid(option: &'static str, value: &str, remedy: impl Into<String>) -> LengthsError {
    LengthsError::Option {
        option,
        value: value.into(),
        remedy: remedy.into(),
    }
}
