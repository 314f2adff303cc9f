//! The table `[train]`: all training settings except the batching strategies.

use padwise_model_config::{
    BackendChoice, Objective, Optimiser, OptimiserConfig, Precision, Recurrence, Schedule,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::{MAX_BATCH, MAX_EPOCHS, MAX_SEEDS, MAX_THREADS};
use crate::parallel::ParallelConfig;

/// Training settings, the same for every strategy unless it has its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TrainConfig {
    /// Number of passes over the training set. Default: `1`.
    #[schemars(range(min = 1, max = MAX_EPOCHS))]
    pub epochs: u64,
    /// Random seeds of initial parameters, batches and dropout; every strategy runs once per seed. Default: `[1]`.
    #[schemars(length(min = 1, max = MAX_SEEDS), extend("uniqueItems" = true))]
    pub seeds: Vec<u64>,
    /// Batch size, in utterances, of strategies that do not set their own. Default: `16`.
    #[schemars(range(min = 1, max = MAX_BATCH))]
    pub batch_size: u32,
    /// Training objective. Default: `"frame-wise"`.
    pub objective: Objective,
    /// Optimiser. Default: `"adam"`.
    pub optimiser: Optimiser,
    /// Learning rate. Default: `0.001` for Adam, `1.0` for ADADELTA.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate: Option<f64>,
    /// Clip gradients to this global norm. Default: no clipping.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub clip_norm: Option<f64>,
    /// Stop a run as diverged when its training loss exceeds its first loss by this factor. Default: `10.0`.
    #[schemars(extend("exclusiveMinimum" = 1))]
    pub divergence: f64,
    /// Stop a run after the epoch in which its training time exceeds this many minutes. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stop_minutes: Option<f64>,
    /// Stop a run after the first epoch whose validation loss is at or below this value. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stop_loss: Option<f64>,
    /// Stop a run after this many epochs without a lower validation loss; at least `measure.validate-every`. Its results are then those of
    /// its best epoch. Default: train all epochs and take the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MAX_EPOCHS))]
    pub patience: Option<u64>,
    /// Backend to train on. Default: `"auto"`.
    pub backend: BackendChoice,
    /// Implementation of the LSTM recurrence. Default: `"auto"`.
    pub recurrence: Recurrence,
    /// Precision of large matrix multiplications (GEMMs). Default: `"f32"`.
    pub precision: Precision,
    /// Threads that assemble batches; 0 means half the CPU cores, at most 8. Default: `0`.
    #[schemars(range(min = 0, max = MAX_THREADS))]
    pub loader_threads: usize,
    /// How the learning rate changes between epochs. Default: `"constant"`.
    pub schedule: Schedule,
    /// Training by several workers. Default: none; one process trains each run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel: Option<ParallelConfig>,
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
            patience: None,
            backend: BackendChoice::default(),
            recurrence: Recurrence::default(),
            precision: Precision::default(),
            loader_threads: 0,
            schedule: Schedule::default(),
            parallel: None,
        }
    }
}

impl TrainConfig {
    /// The learning rate of the first epoch: the one that is set, or the optimiser's default.
    pub fn learning_rate(&self) -> f64 {
        match OptimiserConfig::new(self.optimiser, self.learning_rate) {
            OptimiserConfig::Adam { learning_rate, .. }
            | OptimiserConfig::Adadelta { learning_rate, .. } => learning_rate,
        }
    }

    /// The number of threads that assemble batches, with 0 replaced by the machine's default.
    pub fn loader_threads(&self) -> usize {
        if self.loader_threads > 0 {
            return self.loader_threads;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (cores / 2).clamp(1, 8)
    }
}
