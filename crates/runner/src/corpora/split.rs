//! A corpus split into a training and a validation set.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use padwise_experiment_config::{CorpusConfig, HeldOutSet};
use padwise_features::normalisation::{Normalisation, Normalised, Statistics};
use padwise_features::pack::Pack;
use padwise_features::{Corpus, Synthetic, SyntheticConfig, SyntheticCorpus};
use padwise_model::Objective;
use padwise_sampler::{Sampler, Strategy};

use super::CorporaError;
use super::in_memory::InMemory;
use super::speakers::of_speakers;
use super::supervision::{Supervision, TooShort, long_enough};
use super::view::View;

/// A training set and a validation set.
pub struct Split {
    /// The training utterances.
    pub training: Arc<dyn Corpus>,
    /// The validation utterances; none is in the training set.
    pub validation: Arc<dyn Corpus>,
    /// The symbol of each class, in which label sequences are compared: the phone, if classes are states of phones. Otherwise a
    /// class is its own symbol.
    pub symbols: Vec<u32>,
    /// What the model is trained on.
    pub supervision: Supervision,
    /// Number of classes or symbols, without CTC's blank.
    pub classes: usize,
    /// Utterances that were skipped because they are too short for their target.
    pub too_short: Vec<TooShort>,
    /// The files that it reads, in the order of the config. Empty for a synthetic corpus.
    pub packs: Vec<Arc<Pack>>,
}

/// Offset from the corpus's seed to the seed of fresh validation utterances.
const FRESH_SEED: u64 = 1 << 32;

impl Split {
    /// Opens the corpus of a config; paths are relative to `folder`. Reads no frames.
    pub fn open(
        config: &CorpusConfig,
        folder: &Path,
        objective: Objective,
    ) -> Result<Self, CorporaError> {
        let mut packs = Vec::new();
        let (whole, symbols) = match &config.synthetic {
            Some(synthetic) => {
                let symbols = phones_of(synthetic)?;
                (open_synthetic(synthetic.clone())?, Some(symbols))
            }
            None => (join(config.packs(), folder, &mut packs)?, None),
        };
        if objective == Objective::Ctc {
            same_symbols(&packs)?;
        }
        let supervision = Supervision::choose(objective, whole.as_ref())?;
        let classes = supervision.classes(whole.as_ref());
        let (mut training, mut validation) = divide(config, folder, whole, &mut packs)?;
        if supervision == Supervision::Targets {
            same_symbols(&packs)?;
        }
        let validation_classes = supervision.classes(validation.as_ref());
        if validation.dims() != training.dims() || validation_classes != classes {
            return Err(CorporaError::Unsuitable(format!(
                "the validation pack has {} features per frame and {validation_classes} classes, the training corpus {} and {classes}: prepare both with the same options",
                validation.dims(),
                training.dims(),
            )));
        }
        let mut too_short = Vec::new();
        if supervision == Supervision::Targets {
            for corpus in [&mut training, &mut validation] {
                let (fit, skipped) = long_enough(corpus.as_ref())?;
                if !skipped.is_empty() {
                    *corpus = Arc::new(View::subset(corpus.clone(), fit));
                    too_short.extend(skipped);
                }
            }
        }
        for (part, corpus) in [("training", &training), ("validation", &validation)] {
            if corpus.is_empty() {
                return Err(CorporaError::Unsuitable(format!(
                    "the {part} set is empty: change corpus.validation"
                )));
            }
        }
        Ok(Split {
            supervision,
            classes,
            too_short,
            symbols: symbols.unwrap_or_else(|| (0..classes).map(|class| class as u32).collect()),
            training,
            validation,
            packs,
        })
    }

    /// Estimates the normalisation statistics on the training utterances.
    pub fn statistics(&self, normalisation: Normalisation) -> Result<Statistics, CorporaError> {
        let all: Vec<usize> = (0..self.training.len()).collect();
        let fitted = Normalised::fit(self.training.clone(), normalisation, &all)?;
        Ok(fitted.statistics().clone())
    }

    /// Normalises the utterances, and reads them into memory if `in_memory`.
    pub fn normalised(self, statistics: Statistics, in_memory: bool) -> Result<Self, CorporaError> {
        let ready = |corpus: Arc<dyn Corpus>| -> Result<Arc<dyn Corpus>, CorporaError> {
            let normalised =
                Normalised::with(corpus, statistics.clone()).map_err(CorporaError::other)?;
            Ok(if in_memory {
                Arc::new(InMemory::read(normalised)?)
            } else {
                Arc::new(normalised)
            })
        };
        Ok(Split {
            training: ready(self.training)?,
            validation: ready(self.validation)?,
            ..self
        })
    }
}

fn open_synthetic(config: SyntheticConfig) -> Result<Arc<dyn Corpus>, CorporaError> {
    Ok(Arc::new(
        SyntheticCorpus::new(config).map_err(CorporaError::other)?,
    ))
}

fn phones_of(config: &SyntheticConfig) -> Result<Vec<u32>, CorporaError> {
    let synthetic = Synthetic::new(config.clone()).map_err(CorporaError::other)?;
    Ok((0..synthetic.classes())
        .map(|class| synthetic.phone_of(class).unwrap_or(0) as u32)
        .collect())
}

/// Checks that the targets of all packs have the same symbols.
fn same_symbols(packs: &[Arc<Pack>]) -> Result<(), CorporaError> {
    let different = packs
        .windows(2)
        .find(|pair| pair[0].target_set() != pair[1].target_set());
    let Some([first, second]) = different else {
        return Ok(());
    };
    let [first, second] = [first, second].map(|pack| pack.path().display());
    Err(CorporaError::Unsuitable(format!(
        "{first} and {second} have different target symbols: prepare the second with --symbols {first}"
    )))
}

/// Opens packs, adds them to `packs` and joins them.
fn join<'a>(
    paths: impl Iterator<Item = &'a std::path::PathBuf>,
    folder: &Path,
    packs: &mut Vec<Arc<Pack>>,
) -> Result<Arc<dyn Corpus>, CorporaError> {
    let mut parts: Vec<(String, Arc<dyn Corpus>)> = Vec::new();
    for path in paths {
        let path = folder.join(path);
        let pack = Arc::new(Pack::open(&path).map_err(CorporaError::other)?);
        packs.push(pack.clone());
        parts.push((path.display().to_string(), pack));
    }
    Ok(Arc::new(View::joined(parts)?))
}

/// Training utterances and validation utterances.
type Parts = (Arc<dyn Corpus>, Arc<dyn Corpus>);

fn divide(
    config: &CorpusConfig,
    folder: &Path,
    whole: Arc<dyn Corpus>,
    packs: &mut Vec<Arc<Pack>>,
) -> Result<Parts, CorporaError> {
    let kept: BTreeSet<usize> = match (&config.validation, &config.synthetic) {
        (HeldOutSet::Fresh(utterances), Some(synthetic)) => {
            let fresh = SyntheticConfig {
                utterances: *utterances,
                seed: synthetic.seed.wrapping_add(FRESH_SEED),
                ..synthetic.clone()
            };
            return Ok((whole, open_synthetic(fresh)?));
        }
        (HeldOutSet::Fresh(_), None) => {
            return Err(CorporaError::Unsuitable(
                "`fresh` validation utterances need a synthetic corpus".into(),
            ));
        }
        (HeldOutSet::Pack(_) | HeldOutSet::Packs(_), _) => {
            return Ok((
                whole,
                join(config.validation.packs().iter(), folder, packs)?,
            ));
        }
        (HeldOutSet::Speakers(speakers), _) => of_speakers(whole.as_ref(), speakers)?,
        (HeldOutSet::Share(share), _) => drawn(whole.lengths(), *share)?,
    };
    let (validation, training) = (0..whole.len()).partition(|utterance| kept.contains(utterance));
    Ok((
        Arc::new(View::subset(whole.clone(), training)),
        Arc::new(View::subset(whole, validation)),
    ))
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
