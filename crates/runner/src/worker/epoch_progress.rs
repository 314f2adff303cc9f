//! An epoch that was stopped in its middle: what is kept of it, so that no batch is trained twice.
//!
//! A plan is a pure function, so it tells again which batches were trained; what training found is told by [`EpochProgress`], and the model is
//! in a checkpoint beside it. The checkpoint is written first: where there is a `.json`, there is all that it speaks of. Both are named by
//! the finished epochs and the batches after them, and so they go when the epochs they build on go.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use padwise_model::{LossSum, Trainer};
use serde::{Deserialize, Serialize};

use crate::process::protocol::Job;
use crate::results_folder::{self, ResultsFolder};

/// What training has found in an epoch so far, over all processes that had a part in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpochProgress {
    /// Batches trained.
    pub batches: usize,
    /// Losses of steps that were looked at.
    pub looked_at: LossSum,
    /// Losses of the steps after those, one by one: the next look is at these and more.
    pub not_yet: Vec<LossSum>,
    /// The loss of the run's first step, where it was looked at.
    pub start_loss: Option<f64>,
    /// Time on the clock.
    pub train_seconds: f64,
    /// Of that, waiting for the loader.
    pub wait_seconds: f64,
    /// Warm-up of the process that began the epoch.
    pub warm_up_seconds: f64,
    /// Memory of the process that needed most on top of what it began with: then, and at most.
    pub host_bytes: Option<(u64, u64)>,
}

impl EpochProgress {
    /// Losses of steps that nobody has looked at.
    pub fn keep(&mut self, losses: Vec<LossSum>) {
        self.not_yet.extend(losses);
    }

    /// All losses since the last look.
    pub fn take(&mut self, losses: Vec<LossSum>) -> Vec<LossSum> {
        self.keep(losses);
        std::mem::take(&mut self.not_yet)
    }

    /// Memory of this process before there was a model, and the most while it trained.
    pub fn host_memory(&mut self, base: Option<u64>, peak: Option<u64>) {
        let Some(here) = base.zip(peak) else {
            return;
        };
        let took = |(base, peak): (u64, u64)| peak.saturating_sub(base);
        if self.host_bytes.is_none_or(|kept| took(here) > took(kept)) {
            self.host_bytes = Some(here);
        }
    }

    /// Numbers that are none do not survive being written; a run that has got there has diverged, and would again.
    fn can_be_kept(&self) -> bool {
        let finite = |losses: &LossSum| losses.mean().is_none_or(f64::is_finite);
        finite(&self.looked_at) && self.not_yet.iter().all(finite)
    }

    /// Keeps the model and this, and removes what was kept of the epoch before. Says whether it could be kept.
    pub fn save(&self, trainer: &dyn Trainer, job: &Job) -> Result<bool> {
        if !self.can_be_kept() {
            return Ok(false);
        }
        let earlier = kept(job);
        let checkpoint = checkpoint(job, self.batches);
        trainer.save(&checkpoint)?;
        let path = checkpoint.with_extension("json");
        results_folder::replace(&path, &serde_json::to_vec(self)?)?;
        for (batches, path) in earlier {
            if batches != self.batches {
                // One too many does no harm: the latest is taken.
                let _ = fs::remove_file(&path);
                let _ = fs::remove_file(path.with_extension("safetensors"));
            }
        }
        Ok(true)
    }

    /// What was kept of a run's next epoch, and the model's checkpoint.
    pub fn latest(job: &Job) -> Result<Option<(Self, PathBuf)>> {
        let Some((_, path)) = kept(job).into_iter().max() else {
            return Ok(None);
        };
        let text = fs::read_to_string(&path);
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        let progress = serde_json::from_str(&text).with_context(|| {
            format!(
                "cannot understand {}: remove it, and the epoch begins again",
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

/// What is kept of a run's next epoch: batches, and where it says so.
fn kept(job: &Job) -> Vec<(usize, PathBuf)> {
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
