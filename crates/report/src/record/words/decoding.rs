//! How the test set was decoded: `decoding.json`.

use serde::{Deserialize, Serialize};

use super::super::check_values::{MAX_COUNT, MAX_SECONDS, at_most, within};

/// A positive setting above every one that a config accepts.
const MAX_SETTING: f64 = 1e9;

/// The settings of the decoder, the same for all runs, and what they were used on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DecodingRecord {
    /// Weight of the language model.
    pub lm_scale: f64,
    /// The beam.
    pub beam: f64,
    /// Penalty per word.
    pub word_penalty: f64,
    /// Weight of the class priors.
    pub prior_scale: f64,
    /// The most hypotheses per frame.
    pub max_active: u64,
    /// The scales that were tried on the validation set with the first run; empty if the config sets one.
    pub tuned: Vec<TunedScale>,
    /// The lexicon; none for CTC on characters.
    pub lexicon: Option<UsedFile>,
    /// The language model.
    pub language_model: UsedFile,
    /// Words that the decoder can recognise.
    pub vocabulary: u64,
    /// Order of the language model: 3 for trigrams.
    pub lm_order: u64,
    /// The test set.
    pub test: TestSet,
}

/// A language-model scale that was tried on the validation set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TunedScale {
    /// The scale.
    pub lm_scale: f64,
    /// The beam used with it.
    pub beam: f64,
    /// The word error rate on the validation set, in percent.
    pub word_error_percent: f64,
}

/// A file that the decoder used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedFile {
    /// Its name, without its folder.
    pub file: String,
    /// Its checksum.
    pub checksum: String,
}

/// The size of the test set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestSet {
    /// Utterances.
    pub utterances: u64,
    /// Words in the references.
    pub words: u64,
    /// Words of the references that are not in the vocabulary (OOV), in percent.
    pub oov_percent: f64,
    /// Seconds of speech.
    pub seconds: f64,
}

impl DecodingRecord {
    /// Checks every value; the message names the field, the value and what is valid.
    pub(super) fn check_values(&self) -> Result<(), String> {
        let positive = |name, value: f64| within(name, Some(value), 0.0, MAX_SETTING);
        positive("lm_scale", self.lm_scale)?;
        positive("beam", self.beam)?;
        positive("prior_scale", self.prior_scale)?;
        within(
            "word_penalty",
            Some(self.word_penalty),
            -MAX_SETTING,
            MAX_SETTING,
        )?;
        for tuned in &self.tuned {
            positive("lm_scale", tuned.lm_scale)?;
            positive("beam", tuned.beam)?;
            positive("word_error_percent", tuned.word_error_percent)?;
        }
        for (name, count) in [
            ("max_active", self.max_active),
            ("vocabulary", self.vocabulary),
            ("lm_order", self.lm_order),
            ("utterances", self.test.utterances),
            ("words", self.test.words),
        ] {
            at_most(name, count, "", MAX_COUNT)?;
        }
        within("oov_percent", Some(self.test.oov_percent), 0.0, 100.0)?;
        within("seconds", Some(self.test.seconds), 0.0, MAX_SECONDS)
    }
}
