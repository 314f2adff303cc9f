//! A corpus split into a training, a validation and a test set.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use padwise_experiment_config::CorpusConfig;
use padwise_features::normalisation::{Normalisation, Normalised, Statistics};
use padwise_features::pack::Pack;
use padwise_features::{Corpus, Synthetic, SyntheticConfig, SyntheticCorpus};
use padwise_model::Objective;
use padwise_sampler::excerpt::excerpt;

use super::CorporaError;
use super::held_out::{CorpusParts, divide};
use super::in_memory::InMemory;
use super::supervision::{Supervision, TooShort, long_enough};
use super::view::View;

/// A training set, a validation set and perhaps a test set.
pub struct Split {
    /// The training utterances.
    pub training: Arc<dyn Corpus>,
    /// The validation utterances; none is in the training set.
    pub validation: Arc<dyn Corpus>,
    /// The test utterances for word error rates, in none of the other sets. They need no labels.
    pub test: Option<Arc<dyn Corpus>>,
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

impl Split {
    /// Opens the corpus of a config, with a test set if `needs_test` or if the config names one; paths are relative to `folder`.
    /// Reads no frames.
    pub fn open(
        config: &CorpusConfig,
        folder: &Path,
        objective: Objective,
        needs_test: bool,
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
        let training_packs = packs.len();
        let CorpusParts {
            mut training,
            mut validation,
            test,
        } = divide(config, folder, whole, needs_test, &mut packs)?;
        if supervision == Supervision::Targets {
            let others = config.validation.packs().len();
            same_symbols(&packs[..training_packs + others])?;
        }
        let validation_classes = supervision.classes(validation.as_ref());
        if validation.dims() != training.dims() || validation_classes != classes {
            return Err(CorporaError::Unsuitable(format!(
                "the validation pack has {} features per frame and {validation_classes} classes, the training corpus {} and {classes}: prepare both with the same options",
                validation.dims(),
                training.dims(),
            )));
        }
        if let Some(test) = test.as_ref().filter(|test| test.dims() != training.dims()) {
            return Err(CorporaError::Unsuitable(format!(
                "the test pack has {} features per frame, the training corpus {}: prepare both with the same options",
                test.dims(),
                training.dims(),
            )));
        }
        if let Some(test) = test.as_ref().filter(|_| !packs.is_empty()) {
            refuse_common_ids(test.as_ref(), &[training.as_ref(), validation.as_ref()])?;
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
        let parts = [("training", &training), ("validation", &validation)];
        let test_part = test.iter().map(|test| ("test", test));
        for (part, corpus) in parts.into_iter().chain(test_part) {
            if corpus.is_empty() {
                let key = if part == "test" { "test" } else { "validation" };
                return Err(CorporaError::Unsuitable(format!(
                    "the {part} set is empty: change corpus.{key}"
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
            test,
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
            test: self.test.map(ready).transpose()?,
            ..self
        })
    }
}

pub(super) fn open_synthetic(config: SyntheticConfig) -> Result<Arc<dyn Corpus>, CorporaError> {
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

/// Checks that no test utterance is in another set, for example because a pack was copied.
fn refuse_common_ids(test: &dyn Corpus, others: &[&dyn Corpus]) -> Result<(), CorporaError> {
    let ids: HashSet<&str> = (0..test.len()).map(|at| test.id(at)).collect();
    for other in others {
        if let Some(at) = (0..other.len()).find(|&at| ids.contains(other.id(at))) {
            return Err(CorporaError::Unsuitable(format!(
                "utterance {} is in the test set and in another set: change corpus.test",
                excerpt(other.id(at))
            )));
        }
    }
    Ok(())
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
pub(super) fn join<'a>(
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
