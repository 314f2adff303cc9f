//! How a model is trained: everything about it but the batches.

use padwise_model_config::{BackendChoice, Objective, Optimiser, Precision, Recurrence, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a model is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TrainConfig {
    /// Passes over the corpus.
    #[schemars(range(min = 1))]
    pub epochs: u64,
    /// One run of every strategy for each of these: a seed is initial parameters, order of utterances and dropout.
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub seeds: Vec<u64>,
    /// The batch size of strategies that do not name one.
    #[schemars(range(min = 1))]
    pub batch_size: u32,
    /// The training objective.
    pub objective: Objective,
    /// Which optimiser.
    pub optimiser: Optimiser,
    /// Its step size; the optimiser's usual one where not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate: Option<f64>,
    /// The largest global gradient norm, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub clip_norm: Option<f64>,
    /// A run whose loss rises above this many times its first loss has diverged, and ends.
    #[schemars(extend("exclusiveMinimum" = 1))]
    pub divergence: f64,
    /// A run ends after the epoch in which its training time passes this many minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stop_minutes: Option<f64>,
    /// A run ends after the epoch whose validation loss is this or less.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
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
    /// Threads that put batches together.
    pub fn loader_threads(&self) -> usize {
        if self.loader_threads > 0 {
            return self.loader_threads;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (cores / 2).clamp(1, 8)
    }
}
