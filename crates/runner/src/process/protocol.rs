//! What the coordinator and a worker say to each other: a task in, events out, one JSON object a line.

use std::io::{self, Write};
use std::path::PathBuf;

use padwise_experiment_config::ExperimentConfig;
use padwise_report::record::{Computes, EpochRow};
use serde::{Deserialize, Serialize};

/// What a worker is for.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// To train a run.
    Train(Box<Job>),
    /// To see how much memory a step takes.
    Probe(Box<StepShape>),
}

/// A step of training on a batch of this shape.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct StepShape {
    /// The resolved config.
    pub config: ExperimentConfig,
    /// Numbers in a frame.
    pub inputs: usize,
    /// Classes of the corpus.
    pub classes: usize,
    /// Items in the batch.
    pub items: usize,
    /// Frames that they are padded to.
    pub frames: usize,
    /// Seconds after which nobody wants to know any more.
    pub seconds: f64,
}

/// One run: a strategy with a seed, from wherever it stands.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Job {
    /// The resolved config.
    pub config: ExperimentConfig,
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

/// Where a run stopped.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct StopPoint {
    /// The epoch, from 1.
    pub epoch: u64,
    /// Batches of it that are trained.
    pub done: usize,
    /// Batches that it has.
    pub batches: usize,
    /// Whether those that are trained are on the disk.
    pub kept: bool,
}

impl StopPoint {
    /// Where a run was, and what going on will repeat.
    pub fn describe(&self, strategy: &str, seed: u64) -> String {
        let repeated = if self.kept {
            "all of which is kept"
        } else {
            "which will be trained again"
        };
        format!(
            "`{strategy}`, seed {seed}, epoch {}, after {} of {} batches, {repeated}",
            self.epoch, self.done, self.batches
        )
    }
}

/// What a worker reports.
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
    Interrupted(StopPoint),
    /// A step on the shape that was asked for has been done.
    Probed {
        /// The most memory that it took, where that can be told.
        bytes: Option<u64>,
    },
    /// A step on that shape takes too long.
    TooSlow,
    /// The run cannot go on.
    Failed {
        /// Why, in a sentence.
        message: String,
    },
}

impl Event {
    /// Sends it to the coordinator, which reads this process's standard output.
    pub fn send(&self) -> anyhow::Result<()> {
        let line = serde_json::to_string(self)?;
        let mut out = io::stdout().lock();
        writeln!(out, "{line}")?;
        Ok(out.flush()?)
    }
}
