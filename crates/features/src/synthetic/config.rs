//! Settings of a synthetic corpus.

use std::fmt::Display;
use std::ops::RangeInclusive;

use padwise_sampler::Profile;
use serde::{Deserialize, Serialize};

use super::error::SyntheticError;
use super::phones::{PHONES, SPOKEN, STATES};
use crate::files::bytes_text;

/// Several times the largest public speech corpora.
const MAX_UTTERANCES: usize = 100_000_000;
/// Memory of an utterance without its frames: length and id.
const UTTERANCE_BYTES: usize = 64;
const MAX_DIMS: usize = 1024;
const MAX_SPEAKERS: usize = 1_000_000;
/// One class for every state of every phone and of silence.
pub(super) const MIN_CLASSES: usize = PHONES * STATES;
/// One class for every state of every phone in every context, plus the states of silence.
pub(super) const MAX_CLASSES: usize = STATES + SPOKEN * STATES * (PHONES - 1) * (PHONES - 1);

/// Settings of a synthetic corpus: its size, the lengths of its utterances, its language and its speakers.
///
/// Two corpora that differ only in `seed` share the language, the phones and the classes. Their speakers and utterances
/// differ, so you can train on one and validate on the other. A corpus with fewer `utterances` is a prefix of a larger
/// one.
///
/// ```
/// use padwise_features::SyntheticConfig;
///
/// let config: SyntheticConfig = serde_json::from_str(r#"{ "utterances": 300, "profile": "ljspeech" }"#)?;
/// assert_eq!((config.dims, config.classes), (16, 1500));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SyntheticConfig {
    /// Number of utterances.
    #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
    pub utterances: usize,
    /// Corpus whose length distribution to use.
    pub profile: Profile,
    /// Seed of the speakers and utterances.
    pub seed: u64,
    /// Seed of the language: its grammar, the sounds of its phones and the tying of states.
    pub language: u64,
    /// Dimensions of a frame.
    #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
    pub dims: usize,
    /// Number of tied states, which are the label classes.
    #[cfg_attr(feature = "schemars", schemars(range(min = MIN_CLASSES, max = MAX_CLASSES)))]
    pub classes: usize,
    /// Number of speakers.
    #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
    pub speakers: usize,
    /// Noise level of the frames, as a multiple of the default.
    #[cfg_attr(feature = "schemars", schemars(range(min = 0, max = 100)))]
    pub noise: f32,
}

impl Default for SyntheticConfig {
    fn default() -> Self {
        SyntheticConfig {
            utterances: 10_000,
            profile: Profile::LibriSpeech,
            seed: 0,
            language: 0,
            dims: 16,
            classes: 1500,
            speakers: 80,
            noise: 1.0,
        }
    }
}

impl SyntheticConfig {
    /// Checks that all settings are in range.
    pub fn validate(&self) -> Result<(), SyntheticError> {
        let needed = self.utterances.saturating_mul(UTTERANCE_BYTES);
        let needed = bytes_text(u64::try_from(needed).unwrap_or(u64::MAX));
        let mut expected = format!("it must be from 1 to {MAX_UTTERANCES}");
        if self.utterances > MAX_UTTERANCES {
            expected += &format!("; lengths and ids alone would need {needed} of memory");
        }
        require("utterances", self.utterances, 1..=MAX_UTTERANCES, expected)?;
        let expected = format!("it must be from 1 to {MAX_DIMS} (default 16)");
        require("dims", self.dims, 1..=MAX_DIMS, expected)?;
        let expected = format!(
            "it must be at least {MIN_CLASSES}, three states for each phone and for silence (default 1500)"
        );
        require("classes", self.classes, MIN_CLASSES..=usize::MAX, expected)?;
        let expected = format!(
            "it must be at most {MAX_CLASSES}, the number of states in context (default 1500)"
        );
        require("classes", self.classes, 0..=MAX_CLASSES, expected)?;
        let expected = format!("it must be from 1 to {MAX_SPEAKERS}");
        require("speakers", self.speakers, 1..=MAX_SPEAKERS, expected)?;
        let expected = "it must be from 0 (none) to 100 (default 1)".into();
        require("noise", self.noise, 0.0..=100.0, expected)
    }
}

fn require<T: Display + PartialOrd>(
    key: &'static str,
    value: T,
    range: RangeInclusive<T>,
    expected: String,
) -> Result<(), SyntheticError> {
    // A range never contains NaN.
    if range.contains(&value) {
        return Ok(());
    }
    let value = value.to_string();
    Err(SyntheticError::Setting {
        key,
        value,
        expected,
    })
}

#[cfg(all(test, feature = "schemars"))]
mod tests {
    use super::*;

    #[test]
    fn the_schema_names_every_setting_and_every_profile() {
        let schema = schemars::schema_for!(SyntheticConfig).to_value();
        let config = serde_json::to_value(SyntheticConfig::default()).expect("JSON");
        for key in config.as_object().expect("a table").keys() {
            assert!(schema["properties"][key].is_object(), "{key}");
        }
        for profile in Profile::ALL {
            assert!(
                schema.to_string().contains(&format!("\"{profile}\"")),
                "{profile}"
            );
        }
    }
}
