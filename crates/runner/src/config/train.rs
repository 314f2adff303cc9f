//! How a model is trained: everything about it but the batches.

use padwise_model::{
    BackendChoice, BlstmConfig, Objective, Optimiser, OptimiserConfig, Precision, Recurrence,
    Schedule, TrainerConfig,
};
use serde::{Deserialize, Serialize};

use super::ModelConfig;

/// How a model is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TrainConfig {
    /// Passes over the corpus.
    pub epochs: u64,
    /// One run of every strategy for each of these: a seed is initial parameters, order of utterances and dropout.
    pub seeds: Vec<u64>,
    /// The batch size of strategies that do not name one.
    pub batch_size: u32,
    /// What is descended.
    pub objective: Objective,
    /// Which optimiser.
    pub optimiser: Optimiser,
    /// Its step size; the optimiser's usual one where not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learning_rate: Option<f64>,
    /// The largest global gradient norm, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip_norm: Option<f64>,
    /// A run whose loss rises above this many times its first loss has diverged, and ends.
    pub divergence: f64,
    /// A run ends after the epoch in which its training time passes this many minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_minutes: Option<f64>,
    /// A run ends after the epoch whose validation loss is this or less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_loss: Option<f64>,
    /// Where to compute.
    pub backend: BackendChoice,
    /// Which way of running the recurrence.
    pub recurrence: Recurrence,
    /// The arithmetic of large products.
    pub precision: Precision,
    /// Threads that put batches together; 0 is a choice by the machine.
    pub loader_threads: usize,
    /// How the learning rate changes from epoch to epoch.
    pub schedule: Schedule,
}

impl Default for TrainConfig {
    fn default() -> Self {
        TrainConfig {
            epochs: 1,
            seeds: vec![1],
            batch_size: 16,
            objective: Objective::default(),
            optimiser: Optimiser::default(),
            learning_rate: None,
            clip_norm: None,
            divergence: 10.0,
            stop_minutes: None,
            stop_loss: None,
            backend: BackendChoice::default(),
            recurrence: Recurrence::default(),
            precision: Precision::default(),
            loader_threads: 0,
            schedule: Schedule::default(),
        }
    }
}

impl TrainConfig {
    /// The optimiser with its settings.
    pub fn optimiser(&self) -> OptimiserConfig {
        OptimiserConfig::new(self.optimiser, self.learning_rate)
    }

    /// Everything that a trainer needs, for a corpus of `inputs` numbers a frame and `classes` classes. CTC has a class of its
    /// own for "no label here", after the others.
    pub fn trainer(
        &self,
        model: &ModelConfig,
        inputs: usize,
        classes: usize,
        seed: u64,
    ) -> TrainerConfig {
        let scores = match self.objective {
            Objective::FrameWise => classes,
            Objective::Ctc => classes.saturating_add(1),
        };
        let shape = BlstmConfig::new(inputs, scores)
            .with_layers(model.layers)
            .with_hidden(model.hidden)
            .with_dropout(model.dropout);
        TrainerConfig {
            optimiser: self.optimiser(),
            schedule: self.schedule,
            clip_norm: self.clip_norm,
            objective: self.objective,
            recurrence: self.recurrence,
            precision: self.precision,
            seed,
            ..TrainerConfig::new(shape)
        }
    }

    /// Threads that put batches together.
    pub fn loader_threads(&self) -> usize {
        if self.loader_threads > 0 {
            return self.loader_threads;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (cores / 2).clamp(1, 8)
    }
}
