//! Statistics of the targets of a corpus.

use padwise_features::corpus::{TargetUnit, ctc_frames};
use padwise_features::{Corpus, CorpusError};
use serde::Serialize;

use super::Check;
use crate::terminal::count;

/// Statistics of the targets of a corpus.
#[derive(Clone, Debug, Serialize)]
pub struct TargetSurvey {
    /// What a symbol is.
    pub unit: TargetUnit,
    /// Number of different symbols.
    pub symbols: usize,
    /// How often each symbol occurs, the most frequent first.
    pub symbol_counts: Vec<(String, u64)>,
    /// Utterances that are too short for their target. Training skips them.
    pub too_short: Vec<String>,
}

impl TargetSurvey {
    /// Reads the targets of some utterances; `None` if the corpus has none.
    pub(super) fn of(
        corpus: &dyn Corpus,
        utterances: &[usize],
    ) -> Result<Option<Self>, CorpusError> {
        let Some(set) = corpus.target_set() else {
            return Ok(None);
        };
        let mut counts = vec![0; set.symbols.len()];
        let mut too_short = Vec::new();
        for &utterance in utterances {
            let target = corpus.targets(utterance)?;
            for &symbol in &target {
                let number = usize::try_from(symbol).unwrap_or(usize::MAX);
                counts.get_mut(number).into_iter().for_each(|n| *n += 1);
            }
            if ctc_frames(&target) > corpus.lengths()[utterance] as usize {
                too_short.push(corpus.id(utterance).to_owned());
            }
        }
        let mut symbol_counts: Vec<(String, u64)> =
            set.symbols.iter().cloned().zip(counts).collect();
        symbol_counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(Some(TargetSurvey {
            unit: set.unit,
            symbols: set.symbols.len(),
            symbol_counts,
            too_short,
        }))
    }

    /// Whether the targets fit their utterances. Always passes, because training skips the others.
    pub(super) fn check(&self) -> Check {
        let (unit, symbols) = (self.unit.name(), count(self.symbols, "symbol"));
        let fit = match self.too_short.as_slice() {
            [] => "all fit their utterances".into(),
            [first, ..] => format!(
                "{} too short for CTC (first: {first}); training skips them",
                count(self.too_short.len(), "utterance")
            ),
        };
        Check {
            passed: true,
            finding: format!("targets of {symbols} ({unit}); {fit}"),
        }
    }
}
