//! The progress of an interrupted epoch, so resuming trains no batch twice.
//!
//! A plan is a pure function, so the number of trained batches identifies them. Their losses and times are in the tag of the
//! checkpoint that has the model at this point.

use std::path::Path;

use anyhow::Result;
use padwise_model::{LossSum, Trainer};
use serde::{Deserialize, Serialize};

use super::{CheckpointTag, Position, RunId};
use crate::machine::Usage;

/// Losses, times and memory of an unfinished epoch, over all processes that trained parts of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpochProgress {
    /// Batches trained.
    pub batches: usize,
    /// Sum of the losses that were checked for divergence.
    pub checked: LossSum,
    /// Losses of the steps since the last check.
    pub unchecked: Vec<LossSum>,
    /// The loss of the run's first step, once it was checked.
    pub start_loss: Option<f64>,
    /// Training time.
    pub train_seconds: f64,
    /// Time within `train_seconds` spent waiting for the loader.
    pub wait_seconds: f64,
    /// Warm-up time of the process that began the epoch.
    pub warm_up_seconds: f64,
    /// CPU time of the training time, if known.
    #[serde(default)]
    pub cpu_seconds: Option<f64>,
    /// Energy of the GPU in the training time, if known.
    #[serde(default)]
    pub energy_joules: Option<f64>,
    /// Memory before the model was created, and peak memory, of the process that needed the most.
    pub host_bytes: Option<(u64, u64)>,
}

impl EpochProgress {
    /// Stores losses for the next check.
    pub fn keep(&mut self, losses: Vec<LossSum>) {
        self.unchecked.extend(losses);
    }

    /// Adds losses and returns all since the last check.
    pub fn take(&mut self, losses: Vec<LossSum>) -> Vec<LossSum> {
        self.keep(losses);
        std::mem::take(&mut self.unchecked)
    }

    /// Adds what a part of the epoch used. A part without a measurement makes the sum unknown.
    pub fn add_usage(&mut self, used: Usage) {
        let add = |sum: Option<f64>, used: Option<f64>, is_first: bool| match is_first {
            true => used,
            false => Some(sum? + used?),
        };
        let is_first = self.train_seconds == 0.0;
        self.cpu_seconds = add(self.cpu_seconds, used.cpu_seconds, is_first);
        self.energy_joules = add(self.energy_joules, used.energy_joules, is_first);
    }

    /// Records the memory of this process before the model was created, and its peak during training.
    pub fn host_memory(&mut self, base: Option<u64>, peak: Option<u64>) {
        let Some(here) = base.zip(peak) else {
            return;
        };
        let took = |(base, peak): (u64, u64)| peak.saturating_sub(base);
        if self.host_bytes.is_none_or(|other| took(here) > took(other)) {
            self.host_bytes = Some(here);
        }
    }

    /// JSON has no NaN. A run with a NaN loss has diverged and will again, so its progress is not worth saving.
    fn can_be_saved(&self) -> bool {
        let finite = |losses: &LossSum| losses.mean().is_none_or(f64::is_finite);
        finite(&self.checked) && self.unchecked.iter().all(finite)
    }

    /// Saves the model and this progress of the epoch after `epoch` finished ones. Removes earlier progress of the same epoch.
    /// Returns whether it was saved.
    pub fn save(
        &self,
        trainer: &dyn Trainer,
        run: &RunId,
        results: &Path,
        epoch: u64,
    ) -> Result<bool> {
        if !self.can_be_saved() {
            return Ok(false);
        }
        let position = Position {
            epoch,
            batch: Some(self.batches),
        };
        let tag = CheckpointTag {
            run: run.clone(),
            position,
            row: None,
            times: None,
            progress: Some(self.clone()),
        };
        trainer.save(&run.checkpoint(results, position), &tag.to_text()?)?;
        run.remove_unfinished(results, epoch, self.batches);
        Ok(true)
    }
}
