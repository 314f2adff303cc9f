//! An experiment that can be run: a config and the corpus it names, opened.

use std::path::{Path, PathBuf};

use padwise_experiment_config::ExperimentConfig;
use padwise_features::normalisation::Statistics;
use padwise_model::{BlstmConfig, TrainerConfig};
use padwise_sampler::{Plan, Sampler, Strategy};

use crate::corpora::{CorporaError, Split};

/// The seed of the fixed validation batches, in every experiment.
const VALIDATION_SEED: u64 = 0;

/// A config and its corpus.
pub struct Experiment {
    /// The resolved config.
    pub config: ExperimentConfig,
    /// The folder that its paths start from.
    pub folder: PathBuf,
    /// The corpus; frames are not read yet.
    pub split: Split,
}

impl Experiment {
    /// Opens the corpus of a config whose paths start from this folder.
    pub fn open(config: ExperimentConfig, folder: &Path) -> Result<Self, CorporaError> {
        let split = Split::open(&config.corpus, folder)?;
        Ok(Experiment {
            config,
            folder: folder.into(),
            split,
        })
    }

    /// What normalisation needs, learnt from the training utterances.
    pub fn statistics(&self) -> Result<Statistics, CorporaError> {
        self.split.statistics(self.config.features.normalisation)
    }

    /// The same with its frames normalised, and read into memory where the config says so, as a run trains on them.
    pub fn normalised(self, statistics: Statistics) -> Result<Self, CorporaError> {
        let hold = self.config.holds_corpus();
        let split = self.split.normalised(statistics, hold)?;
        Ok(Experiment { split, ..self })
    }

    /// The same with statistics learnt here.
    pub fn ready(self) -> Result<Self, CorporaError> {
        let statistics = self.statistics()?;
        self.normalised(statistics)
    }

    /// Everything that a trainer needs to know for this corpus.
    pub fn trainer(&self, seed: u64) -> TrainerConfig {
        let corpus = &self.split.training;
        let classes = corpus.classes().unwrap_or(0);
        self.config.trainer(corpus.dims(), classes, seed)
    }

    /// The shape of the model that is trained.
    pub fn model(&self) -> BlstmConfig {
        self.trainer(0).model
    }

    /// The fixed, random validation batches that all strategies share.
    ///
    /// Ge et al. (2021) validate so, because a loss that depended on how validation batches were padded would favour whichever
    /// strategy pads them most. Ours does not depend on padding, and the batches are fixed all the same.
    pub fn validation_plan(&self) -> Result<Plan, CorporaError> {
        let strategy = Strategy::parse("random", self.config.measure.validation_batch);
        let sampler = Sampler::new(strategy.map_err(CorporaError::other)?, VALIDATION_SEED);
        let lengths = self.split.validation.lengths();
        sampler
            .map_err(CorporaError::other)?
            .plan(lengths, 0)
            .map_err(CorporaError::other)
    }
}
