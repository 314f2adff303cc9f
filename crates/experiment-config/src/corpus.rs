//! The table `[corpus]`.

use std::path::PathBuf;

use padwise_features::SyntheticConfig;
use padwise_features::states::{MOST_STATES, StateKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::KeyError;
use crate::limits::{MAX_FRESH, count, printable_path};
use crate::speakers::ValidationSpeakers;

/// The corpus to train and validate on: one feature pack, several packs, or a synthetic corpus.
///
/// ```toml
/// [corpus.synthetic]
/// utterances = 1000
/// profile = "ljspeech"
/// ```
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct CorpusConfig {
    /// Path of a feature pack, relative to the config's folder. Default: none; set exactly one of `pack`, `packs` and `synthetic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<PathBuf>,
    /// Paths of several feature packs to join into one corpus. Default: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packs: Vec<PathBuf>,
    /// The validation set. Default: `{ share = 0.1 }`.
    pub validation: ValidationSet,
    /// The classes of frames, derived from the phone labels of the packs, for example `{ tied = 1500 }`. Default: `"phones"`.
    #[serde(skip_serializing_if = "has_own_labels")]
    pub states: StateKind,
    /// A synthetic corpus, generated when it is read. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<SyntheticConfig>,
}

/// The validation set.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ValidationSet {
    /// A random fraction of the utterances, above 0 and below 1; the same utterances in every run.
    Share(#[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))] f64),
    /// Speakers, by number or by name, for example `6` or `["anna", "ben"]`; all their utterances are used.
    Speakers(ValidationSpeakers),
    /// Number of additional utterances to generate, with other speakers and the same language (synthetic corpora only).
    Fresh(#[schemars(range(min = 1))] usize),
    /// Path of another feature pack, relative to the config's folder.
    Pack(PathBuf),
}

/// Whether the labels of the packs are used as they are.
fn has_own_labels(states: &StateKind) -> bool {
    *states == StateKind::Phones
}

impl Default for ValidationSet {
    fn default() -> Self {
        ValidationSet::Share(0.1)
    }
}

impl CorpusConfig {
    /// Checks that the table names exactly one corpus and a validation set that is not empty.
    pub fn check(&self) -> Result<(), KeyError> {
        let given = [
            self.pack.is_some(),
            !self.packs.is_empty(),
            self.synthetic.is_some(),
        ];
        if given.iter().filter(|&&given| given).count() != 1 {
            return Err(KeyError::new(
                "corpus",
                "[corpus] needs exactly one of `pack`, `packs` and `synthetic`, for example pack = \"../datasets/dev-clean.pack\"",
            ));
        }
        if let Some(synthetic) = &self.synthetic {
            synthetic.validate().map_err(|error| {
                let key = error.key().unwrap_or_default();
                KeyError::new(format!("corpus.synthetic.{key}"), error)
            })?;
        }
        if let StateKind::Tied(states) = self.states {
            count("corpus.states.tied", states.into(), 1..=MOST_STATES as u64)?;
        }
        if self.synthetic.is_some() && !has_own_labels(&self.states) {
            return Err(KeyError::new(
                "corpus.states",
                "a synthetic corpus has states of its own: remove `states`, or set corpus.synthetic.classes",
            ));
        }
        for (key, path) in self.paths() {
            printable_path(key, path)?;
        }
        if let ValidationSet::Fresh(utterances) = self.validation {
            count("corpus.validation.fresh", utterances as u64, 0..=MAX_FRESH)?;
        }
        if let ValidationSet::Speakers(speakers) = &self.validation {
            speakers.check()?;
        }
        let problem = match self.validation {
            ValidationSet::Share(share) if !(share > 0.0 && share < 1.0) => format!(
                "share is {share}: it must be above 0 and below 1 (the fraction of utterances kept for validation)"
            ),
            ValidationSet::Fresh(0) => "the validation set is empty: set at least 1".into(),
            ValidationSet::Fresh(_) if self.synthetic.is_none() => {
                "`fresh` needs a synthetic corpus: use `share`, `speakers` or `pack`".into()
            }
            _ => return Ok(()),
        };
        Err(KeyError::new("corpus.validation", problem))
    }

    /// Every path with its key.
    fn paths(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let validation = match &self.validation {
            ValidationSet::Pack(path) => Some(path),
            _ => None,
        };
        let pack = self.pack.iter().map(|path| ("corpus.pack", path));
        pack.chain(self.packs.iter().map(|path| ("corpus.packs", path)))
            .chain(validation.map(|path| ("corpus.validation.pack", path)))
    }

    /// The feature packs; none if the corpus is synthetic.
    pub fn packs(&self) -> impl Iterator<Item = &PathBuf> {
        self.pack.iter().chain(&self.packs)
    }
}
