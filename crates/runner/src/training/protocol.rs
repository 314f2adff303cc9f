//! What the coordinator and a worker say to each other: a job in, events out, one JSON object a line.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::RunConfig;
use crate::record::{Computes, EpochRow};

/// One run: a strategy with a seed, from wherever it stands.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Job {
    /// The resolved config.
    pub config: RunConfig,
    /// The folder that the config's paths start from.
    pub config_folder: PathBuf,
    /// The folder of results.
    pub results: PathBuf,
    /// The strategy's row, from 0.
    pub row: usize,
    /// The seed.
    pub seed: u64,
    /// Epochs that are done, and have a checkpoint.
    pub done: u64,
    /// The loss of the first step, where it was taken.
    pub start_loss: Option<f64>,
    /// Training time so far.
    pub train_seconds: f64,
}

/// The word that makes a worker end after its batch.
pub const STOP: &str = "stop";

/// What a worker tells.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The largest batch fits, and everything is compiled.
    Ready {
        /// What computes.
        computes: Computes,
        /// How long that took.
        warm_up_seconds: f64,
    },
    /// Some batches of an epoch are done.
    Step {
        /// The epoch, from 1.
        epoch: u64,
        /// Batches done.
        done: u64,
        /// Batches of the epoch.
        batches: u64,
        /// Utterances a second so far.
        rate: f64,
        /// The loss of the last few.
        loss: Option<f64>,
    },
    /// An epoch is done, and its checkpoint is on the disk.
    Epoch(Box<EpochRow>),
    /// The run ends before its time because it was asked to.
    Interrupted,
    /// The run cannot go on.
    Failed {
        /// Why, in a sentence.
        message: String,
    },
}
