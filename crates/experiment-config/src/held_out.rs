//! Utterances that are not trained on: the validation set and the test set.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::KeyError;
use crate::held_out_speakers::HeldOutSpeakers;
use crate::limits::{MAX_FRESH, count, printable_path};

/// A validation or test set.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum HeldOutSet {
    /// A random fraction of the utterances, above 0 and below 1; the same utterances in every run.
    Share(#[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))] f64),
    /// Speakers, by number or by name, for example `6` or `["anna", "ben"]`; all their utterances are used.
    Speakers(HeldOutSpeakers),
    /// Number of additional utterances to generate, with other speakers and the same language (synthetic corpora only).
    Fresh(#[schemars(range(min = 1))] usize),
    /// Path of another feature pack, relative to the config's folder.
    Pack(PathBuf),
    /// Paths of several other feature packs, which are joined.
    Packs(#[schemars(length(min = 1))] Vec<PathBuf>),
}

impl Default for HeldOutSet {
    fn default() -> Self {
        HeldOutSet::Share(0.1)
    }
}

impl HeldOutSet {
    /// The feature packs; none if the utterances come from the corpus itself or are generated.
    pub fn packs(&self) -> &[PathBuf] {
        match self {
            HeldOutSet::Pack(path) => std::slice::from_ref(path),
            HeldOutSet::Packs(paths) => paths,
            HeldOutSet::Share(_) | HeldOutSet::Speakers(_) | HeldOutSet::Fresh(_) => &[],
        }
    }

    /// Checks that the set is not empty and fits the corpus. `part` is "validation" or "test".
    pub(crate) fn check(&self, part: &str, is_synthetic: bool) -> Result<(), KeyError> {
        let key = format!("corpus.{part}");
        let packs_key = match self {
            HeldOutSet::Pack(_) => format!("{key}.pack"),
            _ => format!("{key}.packs"),
        };
        for path in self.packs() {
            printable_path(&packs_key, path)?;
        }
        if let HeldOutSet::Fresh(utterances) = self {
            count(&format!("{key}.fresh"), *utterances as u64, 0..=MAX_FRESH)?;
        }
        if let HeldOutSet::Speakers(speakers) = self {
            speakers.check(part)?;
        }
        let problem = match self {
            HeldOutSet::Share(share) if !(*share > 0.0 && *share < 1.0) => format!(
                "share is {share}: it must be above 0 and below 1 (the fraction of utterances kept for {part})"
            ),
            HeldOutSet::Fresh(0) => format!("the {part} set is empty: set at least 1"),
            HeldOutSet::Packs(packs) if packs.is_empty() => {
                format!("the {part} set is empty: name at least one pack")
            }
            HeldOutSet::Fresh(_) if !is_synthetic => {
                "`fresh` needs a synthetic corpus: use `share`, `speakers` or `pack`".into()
            }
            _ => return Ok(()),
        };
        Err(KeyError::new(key, problem))
    }
}
