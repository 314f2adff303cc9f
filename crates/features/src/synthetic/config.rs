//! What a synthetic corpus is a function of.

use std::fmt::Display;
use std::ops::RangeInclusive;

use padwise_sampler::Profile;
use serde::{Deserialize, Serialize};

use super::error::SyntheticError;
use super::phones::{PHONES, SPOKEN, STATES};

/// Utterance numbers fit 32 bits, as the sampler's do.
const MAX_UTTERANCES: usize = u32::MAX as usize;
const MAX_DIMS: usize = 1024;
const MAX_SPEAKERS: usize = 1_000_000;
/// One class for every state of every phone and of silence.
pub(super) const MIN_CLASSES: usize = PHONES * STATES;
/// One class for every state of every phone between any two others, and silence as above.
pub(super) const MAX_CLASSES: usize = STATES + SPOKEN * STATES * (PHONES - 1) * (PHONES - 1);

/// A synthetic corpus: how large it is, how long its utterances are, and which world it is from.
///
/// Two corpora that differ only in `seed` share language, phones and classes, and nothing else: different speakers
/// say different things, so that one can train on the first and validate on the second. A corpus with fewer
/// `utterances` is the beginning of one with more.
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
    /// How many utterances there are.
    pub utterances: usize,
    /// The corpus whose lengths they have.
    pub profile: Profile,
    /// Who speaks, and what they say.
    pub seed: u64,
    /// The language: which phone follows which, how phones sound, which states share a class.
    pub language: u64,
    /// Numbers in a frame.
    pub dims: usize,
    /// Tied states: the labels are below this.
    pub classes: usize,
    /// How many people speak.
    pub speakers: usize,
    /// The noise on each frame, as a multiple of the usual.
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
    /// Whether there is such a corpus.
    pub fn validate(&self) -> Result<(), SyntheticError> {
        let expected = format!("it must be from 1 to {MAX_UTTERANCES}");
        require("utterances", self.utterances, 1..=MAX_UTTERANCES, expected)?;
        let expected = format!("a frame must have from 1 to {MAX_DIMS} dimensions (16 is usual)");
        require("dims", self.dims, 1..=MAX_DIMS, expected)?;
        let expected = format!(
            "every phone and the silence need three states each, so at least {MIN_CLASSES} classes; 1500 is usual"
        );
        require("classes", self.classes, MIN_CLASSES..=usize::MAX, expected)?;
        let expected =
            format!("there are only {MAX_CLASSES} states in context to tell apart; 1500 is usual");
        require("classes", self.classes, 0..=MAX_CLASSES, expected)?;
        let expected = format!("it must be from 1 to {MAX_SPEAKERS}");
        require("speakers", self.speakers, 1..=MAX_SPEAKERS, expected)?;
        let expected = "it must be a number from 0 (none) to 100; 1 is usual".into();
        require("noise", self.noise, 0.0..=100.0, expected)
    }
}

fn require<T: Display + PartialOrd>(
    key: &'static str,
    value: T,
    range: RangeInclusive<T>,
    expected: String,
) -> Result<(), SyntheticError> {
    // NaN is in no range.
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
