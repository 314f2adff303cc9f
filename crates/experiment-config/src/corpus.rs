//! What a TOML file says a corpus is.

use std::path::PathBuf;

use padwise_features::SyntheticConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::KeyError;

/// The table `[corpus]`: a pack, several packs, or a made-up corpus; and what of it is kept for validation.
///
/// ```toml
/// [corpus.synthetic]
/// utterances = 1000
/// profile = "ljspeech"
/// ```
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct CorpusConfig {
    /// A pack, by its path from the config's own folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<PathBuf>,
    /// Several packs, one after the other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packs: Vec<PathBuf>,
    /// What validation is done on.
    pub validation: ValidationSet,
    /// A made-up corpus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<SyntheticConfig>,
}

/// What validation is done on.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ValidationSet {
    /// This share of the utterances, drawn at random, always the same ones.
    Share(f64),
    /// All utterances of this many speakers, the last by name.
    Speakers(usize),
    /// This many further utterances of the made-up corpus, by other speakers of the same language.
    Fresh(usize),
    /// Another pack, by its path from the config's own folder.
    Pack(PathBuf),
}

impl Default for ValidationSet {
    fn default() -> Self {
        ValidationSet::Share(0.1)
    }
}

impl CorpusConfig {
    /// Whether the table names one corpus and something to validate on.
    pub fn check(&self) -> Result<(), KeyError> {
        let given = [
            self.pack.is_some(),
            !self.packs.is_empty(),
            self.synthetic.is_some(),
        ];
        if given.iter().filter(|&&given| given).count() != 1 {
            return Err(KeyError::new(
                "corpus",
                "a corpus is one of `pack`, `packs` and `synthetic`: give exactly one, for instance pack = \"../datasets/dev-clean.pack\"",
            ));
        }
        if let Some(synthetic) = &self.synthetic {
            synthetic.validate().map_err(|error| {
                let key = error.key().unwrap_or_default();
                KeyError::new(format!("corpus.synthetic.{key}"), error)
            })?;
        }
        let problem = match self.validation {
            ValidationSet::Share(share) if !(share > 0.0 && share < 1.0) => format!(
                "share is {share}: give the share of utterances kept for validation, above 0 and below 1"
            ),
            ValidationSet::Speakers(0) | ValidationSet::Fresh(0) => {
                "validation on nothing: give at least 1".into()
            }
            ValidationSet::Fresh(_) if self.synthetic.is_none() => {
                "`fresh` utterances can only be made where the corpus is synthetic: use share, speakers or pack"
                    .into()
            }
            _ => return Ok(()),
        };
        Err(KeyError::new("corpus.validation", problem))
    }

    /// The packs, if the corpus is made of them.
    pub fn packs(&self) -> impl Iterator<Item = &PathBuf> {
        self.pack.iter().chain(&self.packs)
    }
}
