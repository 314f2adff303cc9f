//! What a synthetic corpus is a function of.

use padwise_sampler::Profile;
use serde::{Deserialize, Serialize};

use super::error::SyntheticError;
use super::phones::{PHONES, SPOKEN, STATES};

/// Utterance numbers fit 32 bits, as the sampler's do.
pub(super) const MAX_UTTERANCES: usize = u32::MAX as usize;
pub(super) const MAX_DIMS: usize = 1024;
pub(super) const MAX_SPEAKERS: usize = 1_000_000;
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
        let value = self.utterances;
        if !(1..=MAX_UTTERANCES).contains(&value) {
            return Err(SyntheticError::Utterances { value });
        }
        let value = self.dims;
        if !(1..=MAX_DIMS).contains(&value) {
            return Err(SyntheticError::Dims { value });
        }
        let value = self.classes;
        if value < MIN_CLASSES {
            return Err(SyntheticError::ClassesTooFew { value });
        }
        if value > MAX_CLASSES {
            return Err(SyntheticError::ClassesTooMany { value });
        }
        let value = self.speakers;
        if !(1..=MAX_SPEAKERS).contains(&value) {
            return Err(SyntheticError::Speakers { value });
        }
        let value = self.noise;
        if !(0.0..=100.0).contains(&value) {
            return Err(SyntheticError::Noise { value });
        }
        Ok(())
    }
}
