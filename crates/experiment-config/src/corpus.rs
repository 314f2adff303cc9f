//! The table `[corpus]`.

use std::path::PathBuf;

use padwise_features::SyntheticConfig;
use padwise_features::states::{MOST_STATES, StateKind};
use padwise_sampler::excerpt::excerpt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::KeyError;
use crate::held_out::HeldOutSet;
use crate::held_out_speakers::HeldOutSpeakers;
use crate::limits::{count, printable_path};

/// The corpus to train, validate and test on: one feature pack, several packs, or a synthetic corpus.
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
    pub validation: HeldOutSet,
    /// The classes of frames, derived from the phone labels of the packs, for example `{ tied = 1500 }`. Default: `"phones"`.
    #[serde(skip_serializing_if = "has_own_labels")]
    pub states: StateKind,
    /// The test set of word error rates, with the values of `validation`. Its speakers, or its share of the utterances, are kept out of training even if words are not measured. Default: with `[measure.words]`, the last speakers that are not validation speakers: about an hour of speech, or about 20 % of a small corpus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<HeldOutSet>,
    /// A synthetic corpus, generated when it is read. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<SyntheticConfig>,
}

/// Whether the labels of the packs are used as they are.
fn has_own_labels(states: &StateKind) -> bool {
    *states == StateKind::Phones
}

impl CorpusConfig {
    /// Checks that the table names exactly one corpus, and validation and test sets that are neither empty nor overlap.
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
                "a synthetic corpus has its own states: remove `states`, or set corpus.synthetic.classes",
            ));
        }
        for (key, path) in self.paths() {
            printable_path(key, path)?;
        }
        let is_synthetic = self.synthetic.is_some();
        self.validation.check("validation", is_synthetic)?;
        if let Some(test) = &self.test {
            test.check("test", is_synthetic)?;
            self.check_overlap(test)?;
        }
        Ok(())
    }

    /// Checks that the test set has no speaker of the validation set and no pack that is used elsewhere.
    fn check_overlap(&self, test: &HeldOutSet) -> Result<(), KeyError> {
        use HeldOutSet::Speakers;
        use HeldOutSpeakers::Named;
        if let (Speakers(Named(validation)), Speakers(Named(test))) = (&self.validation, test)
            && let Some(name) = test.iter().find(|name| validation.contains(name))
        {
            let problem = format!(
                "speaker `{}` is also a validation speaker: name different speakers",
                excerpt(name)
            );
            return Err(KeyError::new("corpus.test.speakers", problem));
        }
        let other_use = |pack: &PathBuf| {
            if self.validation.packs().contains(pack) {
                return Some("validation");
            }
            self.packs()
                .any(|other| other == pack)
                .then_some("training")
        };
        let mut uses = test.packs().iter().map(|pack| (pack, other_use(pack)));
        if let Some((pack, Some(other_use))) = uses.find(|(_, other_use)| other_use.is_some()) {
            let problem = format!(
                "`{}` is also used for {other_use}: use another pack",
                excerpt(&pack.to_string_lossy())
            );
            return Err(KeyError::new("corpus.test", problem));
        }
        Ok(())
    }

    /// Every path of the corpus with its key; a validation or test set checks its own.
    fn paths(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let pack = self.pack.iter().map(|path| ("corpus.pack", path));
        pack.chain(self.packs.iter().map(|path| ("corpus.packs", path)))
    }

    /// The feature packs; none if the corpus is synthetic.
    pub fn packs(&self) -> impl Iterator<Item = &PathBuf> {
        self.pack.iter().chain(&self.packs)
    }
}
