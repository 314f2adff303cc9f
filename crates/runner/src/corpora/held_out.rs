//! Takes validation and test utterances out of a corpus.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use padwise_experiment_config::{CorpusConfig, HeldOutSet};
use padwise_features::pack::Pack;
use padwise_features::{Corpus, SyntheticConfig};
use padwise_sampler::{Sampler, Strategy};

use super::CorporaError;
use super::speakers::{of_speakers, speakers_of};
use super::split::{join, open_synthetic};
use super::view::View;

/// Offset from the corpus's seed to the seed of fresh validation utterances. Test utterances have twice the offset.
const FRESH_SEED: u64 = 1 << 32;

/// Frames of the test set if the config names none: an hour of speech at 100 frames per second.
const TEST_FRAMES: u64 = 360_000;

/// The largest share of a corpus that becomes its test set if the config names none.
const TEST_SHARE: f64 = 0.2;

/// The parts of a corpus.
pub(super) struct CorpusParts {
    pub training: Arc<dyn Corpus>,
    pub validation: Arc<dyn Corpus>,
    pub test: Option<Arc<dyn Corpus>>,
}

/// Divides a corpus into training, validation and test utterances. If `needs_test`, there is a test set even if the config names
/// none. Adds the packs that it opens to `packs`.
pub(super) fn divide(
    config: &CorpusConfig,
    folder: &Path,
    whole: Arc<dyn Corpus>,
    needs_test: bool,
    packs: &mut Vec<Arc<Pack>>,
) -> Result<CorpusParts, CorporaError> {
    let mut rest = RemainingUtterances {
        config,
        folder,
        utterances: (0..whole.len()).collect(),
        whole,
    };
    let validation = rest.take(&config.validation, FRESH_SEED, packs)?;
    let test = match &config.test {
        Some(set) => Some(rest.take(set, FRESH_SEED.wrapping_mul(2), packs)?),
        None if needs_test => Some(rest.take_default_test()?),
        None => None,
    };
    Ok(CorpusParts {
        training: Arc::new(View::subset(rest.whole, rest.utterances)),
        validation,
        test,
    })
}

/// The utterances that no part has yet.
struct RemainingUtterances<'a> {
    config: &'a CorpusConfig,
    folder: &'a Path,
    whole: Arc<dyn Corpus>,
    utterances: Vec<usize>,
}

impl RemainingUtterances<'_> {
    /// Takes a held-out set. `seed` is for fresh utterances.
    fn take(
        &mut self,
        set: &HeldOutSet,
        seed: u64,
        packs: &mut Vec<Arc<Pack>>,
    ) -> Result<Arc<dyn Corpus>, CorporaError> {
        match (set, &self.config.synthetic) {
            (HeldOutSet::Fresh(utterances), Some(synthetic)) => open_synthetic(SyntheticConfig {
                utterances: *utterances,
                seed: synthetic.seed.wrapping_add(seed),
                ..synthetic.clone()
            }),
            (HeldOutSet::Fresh(_), None) => Err(CorporaError::Unsuitable(
                "`fresh` utterances need a synthetic corpus".into(),
            )),
            (HeldOutSet::Pack(_) | HeldOutSet::Packs(_), _) => {
                join(set.packs().iter(), self.folder, packs)
            }
            (HeldOutSet::Speakers(speakers), _) => {
                let chosen = of_speakers(&self.view(), speakers)?;
                Ok(self.remove(&chosen))
            }
            (HeldOutSet::Share(share), _) => {
                let chosen = drawn(self.view().lengths(), *share)?;
                Ok(self.remove(&chosen))
            }
        }
    }

    /// Takes about an hour of speech, or about a fifth of a small corpus: the last speakers, or random utterances if speakers are
    /// not known.
    fn take_default_test(&mut self) -> Result<Arc<dyn Corpus>, CorporaError> {
        let total: u64 = self
            .whole
            .lengths()
            .iter()
            .map(|&frames| u64::from(frames))
            .sum();
        let wanted = TEST_FRAMES.min((TEST_SHARE * total as f64) as u64).max(1);
        let view = self.view();
        let mut speakers = speakers_of(&view);
        if speakers.len() < 2 {
            let chosen = drawn(view.lengths(), wanted as f64 / total.max(1) as f64)?;
            return Ok(self.remove(&chosen));
        }
        let (mut chosen, mut frames) = (BTreeSet::new(), 0);
        while frames < wanted && speakers.len() > 1 {
            let Some(speaker) = speakers.pop_last() else {
                break;
            };
            for (utterance, &length) in view.lengths().iter().enumerate() {
                if view.speaker(utterance) == Some(speaker) {
                    chosen.insert(utterance);
                    frames += u64::from(length);
                }
            }
        }
        Ok(self.remove(&chosen))
    }

    fn view(&self) -> View {
        View::subset(self.whole.clone(), self.utterances.clone())
    }

    /// Removes utterances, given by their position in the rest.
    fn remove(&mut self, chosen: &BTreeSet<usize>) -> Arc<dyn Corpus> {
        let positions = std::mem::take(&mut self.utterances).into_iter().enumerate();
        let (taken, rest): (Vec<_>, Vec<_>) =
            positions.partition(|(position, _)| chosen.contains(position));
        let numbers = |part: Vec<(usize, usize)>| part.into_iter().map(|(_, number)| number);
        self.utterances = numbers(rest).collect();
        Arc::new(View::subset(self.whole.clone(), numbers(taken).collect()))
    }
}

/// A fraction of the utterances, drawn at random with a fixed seed.
fn drawn(lengths: &[u32], share: f64) -> Result<BTreeSet<usize>, CorporaError> {
    let strategy = Strategy::parse("random,batch=1", 1).map_err(CorporaError::other)?;
    let plan = Sampler::new(strategy, 0)
        .map_err(CorporaError::other)?
        .plan(lengths, 0)
        .map_err(CorporaError::other)?;
    let count = ((lengths.len() as f64 * share).ceil() as usize).max(1);
    Ok(plan
        .batches()
        .take(count)
        .flat_map(|batch| batch.items().map(|item| item.sequence))
        .collect())
}
