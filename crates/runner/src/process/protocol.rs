//! The protocol between coordinator and worker: a task in, events out, one JSON object per line.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use padwise_experiment_config::{ExperimentConfig, ParallelConfig, ParallelEngine};
use padwise_report::record::{BestEpoch, Computes, EpochRow, WorkersRow};
use serde::{Deserialize, Serialize};

use crate::checkpoints::{Position, RunId};
use crate::results_folder::Identity;
use crate::words::Units;

/// The task of a worker.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Train a run.
    Train(Box<Job>),
    /// Measure the memory and the time of a training step.
    Probe(Box<StepShape>),
}

/// The shape of a batch for one training step.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct StepShape {
    /// The resolved config.
    pub config: ExperimentConfig,
    /// Features per frame.
    pub inputs: usize,
    /// Classes of the corpus.
    pub classes: usize,
    /// Items in the batch.
    pub items: usize,
    /// Padded length in frames.
    pub frames: usize,
    /// Frames that take memory.
    pub stored_frames: u64,
    /// Frames per label, for CTC.
    pub frames_per_label: Option<f64>,
    /// Time limit in seconds.
    pub seconds: f64,
}

/// One run: a strategy with a seed, new or resumed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Job {
    /// The resolved config.
    pub config: ExperimentConfig,
    /// The folder that the config's paths are relative to.
    pub config_folder: PathBuf,
    /// The results folder.
    pub results: PathBuf,
    /// What the experiment depends on. The worker checks it.
    pub identity: Identity,
    /// The run.
    pub run: RunId,
    /// Where the run starts. It has a checkpoint there, except at its beginning.
    pub start: Position,
    /// The loss of the first step, if known.
    pub start_loss: Option<f64>,
    /// Training time so far, in seconds.
    pub train_seconds: f64,
    /// The validation losses so far, in order.
    pub validation_losses: Vec<f64>,
    /// The epoch with the lowest validation loss so far.
    pub best: Option<BestEpoch>,
    /// The posteriors to write at the end, if word error rates are measured.
    pub posteriors: Option<PosteriorTask>,
}

impl Job {
    /// The number of workers and their settings, if every worker is a process.
    pub fn processes(&self) -> Option<(u32, &ParallelConfig)> {
        let parallel = self.config.train.parallel.as_ref()?;
        let workers = self.workers()?;
        let is_spread = parallel.engine == ParallelEngine::Mpi && workers > 1;
        is_spread.then_some((workers, parallel))
    }

    /// The longest time without progress of a worker, if every worker is a process.
    pub fn deadline(&self) -> anyhow::Result<Option<Duration>> {
        let seconds = self
            .processes()
            .map(|(_, parallel)| parallel.deadline_seconds);
        Ok(seconds.map(Duration::try_from_secs_f64).transpose()?)
    }

    /// The number of workers, if training is parallel.
    pub fn workers(&self) -> Option<u32> {
        self.config.strategy.get(self.run.row)?.workers
    }
}

/// The posteriors that a worker writes. The coordinator knows the units, so a worker need not read the training labels again.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PosteriorTask {
    /// The classes of the model.
    pub units: Units,
    /// Whether to write those of the validation set, besides those of the test set.
    pub validation: bool,
}

/// The line that makes a worker stop after its current batch.
pub const STOP: &str = "stop";

/// The point at which a run was interrupted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct StopPoint {
    /// The epoch, from 1.
    pub epoch: u64,
    /// Batches trained in this epoch.
    pub done: usize,
    /// Batches in this epoch.
    pub batches: usize,
    /// Whether the trained batches are saved in a checkpoint.
    pub kept: bool,
}

impl StopPoint {
    /// Describes the point, and whether resuming repeats the batches of this epoch.
    pub fn describe(&self, strategy: &str, seed: u64) -> String {
        let saved = if self.kept {
            "saved"
        } else {
            "not saved; resuming repeats them"
        };
        format!(
            "`{strategy}`, seed {seed}, epoch {}, after {} of {} batches ({saved})",
            self.epoch, self.done, self.batches
        )
    }
}

/// An event that a worker reports.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// A sign of life of worker 0 of several processes.
    Alive,
    /// Another worker in the same results folder is still exiting.
    Waiting,
    /// Warm-up finished: the largest batch fits, and kernels are compiled.
    Ready {
        /// Backend and device.
        computes: Computes,
        /// Duration of the warm-up.
        warm_up_seconds: f64,
    },
    /// Progress within an epoch.
    Step {
        /// The epoch, from 1.
        epoch: u64,
        /// Batches trained.
        done: u64,
        /// Batches in the epoch.
        batches: u64,
        /// Utterances per second so far.
        rate: f64,
        /// Mean loss of the most recent steps.
        loss: Option<f64>,
    },
    /// The times of the workers of an epoch that is about to finish.
    Workers(Box<WorkersRow>),
    /// An epoch is finished and its checkpoint is on disk.
    Epoch(Box<EpochRow>),
    /// The run stopped early on request; where, if it had begun.
    Interrupted(Option<StopPoint>),
    /// A step on the requested shape finished. Sent after the first step and again after the second, which is timed.
    Probed {
        /// Peak memory so far, if known.
        bytes: Option<u64>,
        /// Duration of the second step.
        seconds: Option<f64>,
    },
    /// A step on the requested shape exceeded the time limit.
    TooSlow,
    /// The run failed.
    Failed {
        /// The reason.
        message: String,
    },
}

impl Event {
    /// Sends the event to the coordinator, through standard output unless [`send_events_to`] has set a connection.
    pub fn send(&self) -> anyhow::Result<()> {
        let line = serde_json::to_string(self)?;
        let mut connection = CONNECTION.lock().unwrap_or_else(PoisonError::into_inner);
        match connection.as_mut() {
            Some(out) => write_line(out, &line),
            None => write_line(&mut io::stdout().lock(), &line),
        }
    }
}

/// The connection to the coordinator, if it is not standard output.
static CONNECTION: Mutex<Option<Box<dyn Write + Send>>> = Mutex::new(None);

/// Sets where events of this process go. None means standard output.
pub fn send_events_to(connection: Option<Box<dyn Write + Send>>) {
    *CONNECTION.lock().unwrap_or_else(PoisonError::into_inner) = connection;
}

fn write_line(out: &mut dyn Write, line: &str) -> anyhow::Result<()> {
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
