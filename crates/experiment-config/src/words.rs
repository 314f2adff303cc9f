//! The table `[measure.words]`: how word error rates are measured.

use std::path::PathBuf;

use padwise_model_config::Objective;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::KeyError;
use crate::limits::{
    MAX_ACTIVE, MAX_LM_GB, MAX_LM_SCALE, MAX_PRIOR_SCALE, MAX_WORD_PENALTY, above_zero, count,
    number, printable_path,
};

/// The default beam for a language-model scale of 1. Scores grow with the scale, so the beam does too.
pub const BEAM_PER_LM_SCALE: f64 = 14.0;

/// Word error rates: every trained model decodes the test set with a lexicon and a language model.
///
/// ```toml
/// [measure.words]
/// lexicon = "../datasets/lexicon.txt.gz"
/// language-model = "../datasets/trigram.arpa.gz"
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct WordsConfig {
    /// Path of the pronunciation lexicon, relative to the config's folder. Default: none; only CTC on characters needs none, because it spells words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lexicon: Option<PathBuf>,
    /// Path of an n-gram language model in ARPA format (also `.gz`), relative to the config's folder.
    pub language_model: PathBuf,
    /// Weight of the language model's log probabilities. Default: tuned on the validation set with the first run, then the same for all runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = MAX_LM_SCALE))]
    pub lm_scale: Option<f64>,
    /// Hypotheses whose score is this much below the best are dropped. Default: 14 × `lm-scale`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub beam: Option<f64>,
    /// Penalty per word: above 0 favours fewer words, below 0 more. Default: `0.0`.
    #[serde(default)]
    #[schemars(range(min = -MAX_WORD_PENALTY, max = MAX_WORD_PENALTY))]
    pub word_penalty: f64,
    /// Weight of the log class priors subtracted from log posteriors; 0 decodes with the posteriors. CTC ignores it. Default: `1.0`.
    #[serde(default = "default_prior_scale")]
    #[schemars(range(min = 0, max = MAX_PRIOR_SCALE))]
    pub prior_scale: f64,
    /// The most hypotheses kept per frame. Default: `3000`.
    #[serde(default = "default_max_active")]
    #[schemars(range(min = 1, max = MAX_ACTIVE))]
    pub max_active: usize,
    /// Whether to keep the test set's posteriors in the results folder, for `padwise decode`. Default: `false`.
    #[serde(default)]
    pub keep_posteriors: bool,
    /// The most memory that the language model may use, in GB; a larger one is refused. Default: `4.0`.
    #[serde(default = "default_max_lm_gb")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = MAX_LM_GB))]
    pub max_lm_gb: f64,
}

fn default_prior_scale() -> f64 {
    1.0
}

fn default_max_active() -> usize {
    3_000
}

fn default_max_lm_gb() -> f64 {
    4.0
}

impl WordsConfig {
    /// The settings of a language model with every default.
    pub fn new(language_model: impl Into<PathBuf>) -> Self {
        WordsConfig {
            lexicon: None,
            language_model: language_model.into(),
            lm_scale: None,
            beam: None,
            word_penalty: 0.0,
            prior_scale: default_prior_scale(),
            max_active: default_max_active(),
            keep_posteriors: false,
            max_lm_gb: default_max_lm_gb(),
        }
    }

    /// The beam at a language-model scale: the one that is set, or its default.
    pub fn beam(&self, lm_scale: f64) -> f64 {
        self.beam.unwrap_or(BEAM_PER_LM_SCALE * lm_scale)
    }

    /// Checks the ranges of all values, and that a model trained with `objective` has the lexicon it needs.
    pub(crate) fn check(&self, objective: Objective) -> Result<(), KeyError> {
        let key = |name: &str| format!("measure.words.{name}");
        if let Some(lexicon) = &self.lexicon {
            printable_path(&key("lexicon"), lexicon)?;
        } else if objective != Objective::Ctc {
            let problem = "lexicon is missing: set the path of a pronunciation lexicon; only CTC on characters needs none";
            return Err(KeyError::new(key("lexicon"), problem));
        }
        printable_path(&key("language-model"), &self.language_model)?;
        above_zero(&key("lm-scale"), self.lm_scale, "; remove it to tune it")?;
        self.check_ranges()
    }

    /// Checks the ranges of all values.
    pub fn check_ranges(&self) -> Result<(), KeyError> {
        let key = |name: &str| format!("measure.words.{name}");
        let lm_scale = self.lm_scale.unwrap_or(1.0);
        number(&key("lm-scale"), lm_scale, 0.0..=MAX_LM_SCALE)?;
        let remedy = "; remove it to derive it from lm-scale";
        above_zero(&key("beam"), self.beam, remedy)?;
        let penalties = -MAX_WORD_PENALTY..=MAX_WORD_PENALTY;
        number(&key("word-penalty"), self.word_penalty, penalties)?;
        number(&key("prior-scale"), self.prior_scale, 0.0..=MAX_PRIOR_SCALE)?;
        count(&key("max-active"), self.max_active as u64, 1..=MAX_ACTIVE)?;
        above_zero(&key("max-lm-gb"), Some(self.max_lm_gb), "")?;
        number(&key("max-lm-gb"), self.max_lm_gb, 0.0..=MAX_LM_GB)
    }
}
