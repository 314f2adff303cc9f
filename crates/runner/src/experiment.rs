//! An experiment ready to run: a config and its opened corpus.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use padwise_experiment_config::ExperimentConfig;
use padwise_features::normalisation::Statistics;
use padwise_features::states::StateInventory;
use padwise_model::{BlstmConfig, OptimiserConfig, TrainerConfig};
use padwise_sampler::{Items, Plan};

use crate::corpora::{self, CorporaError, Split, Supervision};
use crate::results_folder::{CorpusFile, Identity, RecordError};

/// A config and its corpus.
pub struct Experiment {
    /// The resolved config.
    pub config: ExperimentConfig,
    /// The folder that its paths are relative to.
    pub folder: PathBuf,
    /// The corpus, split into training, validation and test set.
    pub split: Split,
    /// The states of phones, if the config asks for them and they are known.
    pub states: Option<Arc<StateInventory>>,
}

impl Experiment {
    /// Opens the corpus of a config; paths are relative to `folder`. Reads no frames.
    pub fn open(config: ExperimentConfig, folder: &Path) -> Result<Self, CorporaError> {
        let needs_test = config.measure.words.is_some();
        let split = Split::open(&config.corpus, folder, config.train.objective, needs_test)?;
        if split.supervision == Supervision::Targets {
            refuse_chunks(&config)?;
        }
        Ok(Experiment {
            config,
            folder: folder.into(),
            split,
            states: None,
        })
    }

    /// Like [`Experiment::open`], with the states that the config asks for, so that the model has its classes.
    pub fn open_with_states(config: ExperimentConfig, folder: &Path) -> Result<Self, CorporaError> {
        Self::open(config, folder)?.with_learnt_states()
    }

    fn with_learnt_states(self) -> Result<Self, CorporaError> {
        let states = self.learn_states()?;
        self.with_states(states)
    }

    /// Learns the states that the config asks for from the training utterances.
    pub fn learn_states(&self) -> Result<Option<StateInventory>, CorporaError> {
        self.split.learn_states(self.config.corpus.states)
    }

    /// Labels frames with states. `None` keeps the labels.
    pub fn with_states(self, states: Option<StateInventory>) -> Result<Self, CorporaError> {
        let Some(states) = states.map(Arc::new) else {
            return Ok(self);
        };
        Ok(Experiment {
            split: self.split.with_states(&states)?,
            states: Some(states),
            ..self
        })
    }

    /// The duration of a frame in seconds: that of the corpus, or 10 ms if it is not known.
    pub fn frame_seconds(&self) -> f64 {
        let packs = self.split.packs.iter();
        let mut known = packs.filter_map(|pack| pack.setup().front_end["hop-ms"].as_f64());
        known.next().unwrap_or(10.0) / 1000.0
    }

    /// The size and checksum of every corpus file.
    pub fn corpus_files(&self) -> Vec<CorpusFile> {
        let packs = self.split.packs.iter();
        packs.map(|pack| CorpusFile::of(pack)).collect()
    }

    /// Checks that the corpus files are those of a recorded identity.
    pub fn check_corpus(&self, identity: &Identity) -> Result<(), RecordError> {
        let packs = self.split.packs.iter();
        let paths: Vec<PathBuf> = packs.map(|pack| pack.path().into()).collect();
        identity.check_corpus(&self.corpus_files(), &paths)
    }

    /// The normalisation statistics of the training utterances.
    pub fn statistics(&self) -> Result<Statistics, CorporaError> {
        self.split.statistics(self.config.features.normalisation)
    }

    /// Normalises the frames, and reads them into memory if the config asks for it.
    pub fn normalised(self, statistics: Statistics) -> Result<Self, CorporaError> {
        let in_memory = self.config.keeps_corpus_in_memory();
        let split = self.split.normalised(statistics, in_memory)?;
        Ok(Experiment { split, ..self })
    }

    /// Learns states and estimates the statistics, and applies both.
    pub fn ready(self) -> Result<Self, CorporaError> {
        let experiment = self.with_learnt_states()?;
        let statistics = experiment.statistics()?;
        experiment.normalised(statistics)
    }

    /// Trainer settings for this corpus.
    pub fn trainer(&self, seed: u64) -> TrainerConfig {
        let corpus = &self.split.training;
        self.config.trainer(corpus.dims(), self.split.classes, seed)
    }

    /// Trainer settings for the runs of a strategy, which may have its own learning rate.
    pub fn trainer_of(&self, row: usize, seed: u64) -> TrainerConfig {
        let rate = self
            .config
            .strategy
            .get(row)
            .and_then(|row| row.learning_rate);
        let common = self.trainer(seed);
        match rate {
            Some(_) => TrainerConfig {
                optimiser: OptimiserConfig::new(self.config.train.optimiser, rate),
                ..common
            },
            None => common,
        }
    }

    /// Frames per label of the training utterances, for CTC; none if every frame has a label.
    pub fn frames_per_label(&self) -> Result<Option<f64>, CorporaError> {
        let corpus = self.split.training.as_ref();
        let found = corpora::frames_per_label(self.split.supervision, corpus);
        found.map_err(CorporaError::other)
    }

    /// The shape of the model.
    pub fn model(&self) -> BlstmConfig {
        self.trainer(0).model
    }

    /// The validation batches.
    pub fn validation_plan(&self) -> Result<Plan, CorporaError> {
        let batch = self.config.measure.validation_batch;
        corpora::evaluation_plan(self.split.validation.as_ref(), batch)
    }
}

/// A target belongs to a whole utterance, so it cannot be cut.
fn refuse_chunks(config: &ExperimentConfig) -> Result<(), CorporaError> {
    let mut rows = config.strategy.iter();
    match rows.find(|row| row.strategy.items != Items::Sequences) {
        None => Ok(()),
        Some(row) => Err(CorporaError::Unsuitable(format!(
            "strategy `{}` trains on chunks, but targets belong to whole utterances: remove chunk=, or train on frame labels",
            row.name
        ))),
    }
}
