//! The saved state of an interrupted epoch, so resuming trains no batch twice.
//!
//! A plan is a pure function, so the number of trained batches identifies them. [`EpochProgress`] has their losses and times as JSON;
//! the model is in a checkpoint next to it. The checkpoint is written first, so a `.json` file always has its checkpoint. Both file
//! names start like the checkpoint of the last finished epoch, so they are removed together with it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use padwise_model::{LossSum, Trainer};
use serde::{Deserialize, Serialize};

use crate::process::protocol::Job;
use crate::results_folder::{self, ResultsFolder};

/// Losses, times and memory of an unfinished epoch, over all processes that trained parts of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpochProgress {
    /// Batches trained.
    pub batches: usize,
    /// Sum of the losses that were checked for divergence.
    #[serde(rename = "looked_at")]
    pub checked: LossSum,
    /// Losses of the steps since the last check.
    #[serde(rename = "not_yet")]
    pub unchecked: Vec<LossSum>,
    /// The loss of the run's first step, once it was checked.
    pub start_loss: Option<f64>,
    /// Training time.
    pub train_seconds: f64,
    /// Time within `train_seconds` spent waiting for the loader.
    pub wait_seconds: f64,
    /// Warm-up time of the process that began the epoch.
    pub warm_up_seconds: f64,
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

    /// Saves the model and this progress, and removes earlier progress of the same epoch. Returns whether it was saved.
    pub fn save(&self, trainer: &dyn Trainer, job: &Job) -> Result<bool> {
        if !self.can_be_saved() {
            return Ok(false);
        }
        let earlier = saved(job);
        let checkpoint = checkpoint(job, self.batches);
        trainer.save(&checkpoint)?;
        let path = checkpoint.with_extension("json");
        results_folder::replace(&path, &serde_json::to_vec(self)?)?;
        for (batches, path) in earlier {
            if batches != self.batches {
                // A file that stays does no harm: the latest is used.
                let _ = fs::remove_file(&path);
                let _ = fs::remove_file(path.with_extension("safetensors"));
            }
        }
        Ok(true)
    }

    /// The latest saved progress of a run's next epoch, and its checkpoint.
    pub fn latest(job: &Job) -> Result<Option<(Self, PathBuf)>> {
        let Some((_, path)) = saved(job).into_iter().max() else {
            return Ok(None);
        };
        let text = fs::read_to_string(&path);
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        let progress = serde_json::from_str(&text).with_context(|| {
            format!(
                "cannot parse {}: delete it to restart the epoch",
                path.display()
            )
        })?;
        Ok(Some((progress, path.with_extension("safetensors"))))
    }
}

fn checkpoint(job: &Job, batches: usize) -> PathBuf {
    let epoch = ResultsFolder::checkpoint(&job.results, job.row, job.seed, job.done);
    let stem = epoch.file_stem().unwrap_or_default().to_string_lossy();
    epoch.with_file_name(format!("{stem}-batch{batches:08}.safetensors"))
}

/// Saved progress of a run's next epoch: number of batches and path of the JSON file.
fn saved(job: &Job) -> Vec<(usize, PathBuf)> {
    let example = checkpoint(job, 0);
    let folder = example.parent().unwrap_or(Path::new(""));
    let stem = example.file_stem().unwrap_or_default().to_string_lossy();
    let prefix = stem.trim_end_matches('0');
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let batches = name.strip_prefix(prefix)?.strip_suffix(".json")?;
            Some((batches.parse().ok()?, entry.path()))
        })
        .collect()
}
