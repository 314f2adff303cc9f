//! A corpus opened for training: what is learnt from, what is validated on, and what its labels mean.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use padwise_experiment_config::{CorpusConfig, ValidationSet};
use padwise_features::normalisation::{Normalisation, Normalised, Statistics};
use padwise_features::pack::Pack;
use padwise_features::{Corpus, Synthetic, SyntheticConfig, SyntheticCorpus};
use padwise_sampler::{Sampler, Strategy};

use super::CorporaError;
use super::in_memory::InMemory;
use super::view::View;

/// What is learnt from and what is validated on.
pub struct Split {
    /// Utterances to learn from.
    pub training: Arc<dyn Corpus>,
    /// Utterances to validate on, none of them learnt from.
    pub validation: Arc<dyn Corpus>,
    /// Of each class, the symbol that sequences of labels are compared in: its phone, where classes are states of phones.
    pub symbols: Vec<u32>,
    /// Whether the symbols are phones.
    pub phones: bool,
}

/// How far from the corpus's own seed the speakers of fresh utterances are.
const FRESH_SEED: u64 = 1 << 32;

impl Split {
    /// Opens what a config names, from the config's own folder. Frames are not read yet.
    pub fn open(config: &CorpusConfig, folder: &Path) -> Result<Self, CorporaError> {
        let (whole, symbols) = match &config.synthetic {
            Some(synthetic) => {
                let symbols = phones_of(synthetic)?;
                (made_up(synthetic.clone())?, Some(symbols))
            }
            None => (packed(config.packs(), folder)?, None),
        };
        let Some(classes) = whole.classes() else {
            return Err(CorporaError::Split(
                "the corpus has no labels, and there is nothing to learn: prepare it with --labels"
                    .into(),
            ));
        };
        let (training, validation) = divide(config, folder, whole)?;
        for (part, corpus) in [("training", &training), ("validation", &validation)] {
            if corpus.is_empty() {
                return Err(CorporaError::Split(format!(
                    "no utterance is left for {part}: change corpus.validation"
                )));
            }
        }
        if validation.dims() != training.dims() || validation.classes() != training.classes() {
            return Err(CorporaError::Split(format!(
                "the validation pack has {} numbers a frame and {} classes, and the training corpus {} and {classes}: prepare them alike",
                validation.dims(),
                validation.classes().unwrap_or(0),
                training.dims(),
            )));
        }
        Ok(Split {
            phones: symbols.is_some() || training.class_names().is_some(),
            symbols: symbols.unwrap_or_else(|| (0..classes).map(|class| class as u32).collect()),
            training,
            validation,
        })
    }

    /// Learns what normalisation needs from the training utterances.
    pub fn statistics(&self, normalisation: Normalisation) -> Result<Statistics, CorporaError> {
        let all: Vec<usize> = (0..self.training.len()).collect();
        let fitted = Normalised::fit(self.training.clone(), normalisation, &all)?;
        Ok(fitted.statistics().clone())
    }

    /// The same utterances, normalised, and held in memory where asked for.
    pub fn normalised(self, statistics: Statistics, hold: bool) -> Result<Self, CorporaError> {
        let ready = |corpus: Arc<dyn Corpus>| -> Result<Arc<dyn Corpus>, CorporaError> {
            let normalised =
                Normalised::with(corpus, statistics.clone()).map_err(CorporaError::other)?;
            Ok(if hold {
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

fn made_up(config: SyntheticConfig) -> Result<Arc<dyn Corpus>, CorporaError> {
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

fn packed<'a>(
    paths: impl Iterator<Item = &'a std::path::PathBuf>,
    folder: &Path,
) -> Result<Arc<dyn Corpus>, CorporaError> {
    let mut parts = Vec::new();
    for path in paths {
        let path = folder.join(path);
        let pack = Pack::open(&path).map_err(CorporaError::other)?;
        let pack: Arc<dyn Corpus> = Arc::new(pack);
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
) -> Result<Parts, CorporaError> {
    let kept: BTreeSet<usize> = match (&config.validation, &config.synthetic) {
        (ValidationSet::Fresh(utterances), Some(synthetic)) => {
            let fresh = SyntheticConfig {
                utterances: *utterances,
                seed: synthetic.seed.wrapping_add(FRESH_SEED),
                ..synthetic.clone()
            };
            return Ok((whole, made_up(fresh)?));
        }
        (ValidationSet::Fresh(_), None) => {
            return Err(CorporaError::Split(
                "fresh utterances can only be made where the corpus is synthetic".into(),
            ));
        }
        (ValidationSet::Pack(path), _) => {
            let pack = Pack::open(folder.join(path)).map_err(CorporaError::other)?;
            return Ok((whole, Arc::new(pack)));
        }
        (ValidationSet::Speakers(count), _) => of_last_speakers(whole.as_ref(), *count)?,
        (ValidationSet::Share(share), _) => drawn(whole.lengths(), *share)?,
    };
    let (validation, training) = (0..whole.len()).partition(|utterance| kept.contains(utterance));
    Ok((
        Arc::new(View::subset(whole.clone(), training)),
        Arc::new(View::subset(whole, validation)),
    ))
}

fn of_last_speakers(corpus: &dyn Corpus, count: usize) -> Result<BTreeSet<usize>, CorporaError> {
    let speakers: BTreeSet<&str> = (0..corpus.len())
        .filter_map(|utterance| corpus.speaker(utterance))
        .collect();
    if count >= speakers.len() {
        return Err(CorporaError::Split(format!(
            "{count} speakers for validation of a corpus that knows {}: keep fewer, or a share of the utterances",
            speakers.len()
        )));
    }
    let last: BTreeSet<&str> = speakers.into_iter().rev().take(count).collect();
    Ok((0..corpus.len())
        .filter(|&utterance| {
            corpus
                .speaker(utterance)
                .is_some_and(|who| last.contains(who))
        })
        .collect())
}

/// The first of all utterances in an order that is drawn once and for all.
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
