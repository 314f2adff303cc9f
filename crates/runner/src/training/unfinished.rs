//! An epoch that was stopped in its middle: what is kept of it, so that no batch is trained twice.
//!
//! A plan is a pure function, so it tells again which batches were trained; what training found is told by [`SoFar`], and the model is
//! in a checkpoint beside it. The checkpoint is written first: where there is a `.json`, there is all that it speaks of. Both are named by
//! the finished epochs and the batches after them, and so they go when the epochs they build on go.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use padwise_model::{LossSum, Trainer};
use serde::{Deserialize, Serialize};

use super::protocol::Job;
use super::tally::Losses;
use crate::record::Folder;

/// What training has found in an epoch so far, over all processes that had a part in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoFar {
    /// Batches trained.
    pub batches: usize,
    /// Losses of steps that were looked at.
    pub looked_at: Losses,
    /// Losses of the steps after those, one by one: the next look is at these and more.
    pub not_yet: Vec<Losses>,
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

impl SoFar {
    /// Losses of steps that nobody has looked at.
    pub fn keep(&mut self, losses: Vec<LossSum>) {
        self.not_yet.extend(losses.iter().map(Losses::from));
    }

    /// All losses since the last look.
    pub fn take(&mut self, losses: Vec<LossSum>) -> Vec<LossSum> {
        self.keep(losses);
        let losses = std::mem::take(&mut self.not_yet);
        losses.iter().map(Losses::step).collect()
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
        let finite = |losses: &Losses| losses.mean().is_none_or(f64::is_finite);
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
        write(&path, &serde_json::to_vec(self)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
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
        let so_far = serde_json::from_str(&text).with_context(|| {
            format!(
                "cannot understand {}: remove it, and the epoch begins again",
                path.display()
            )
        })?;
        Ok(Some((so_far, path.with_extension("safetensors"))))
    }
}

fn checkpoint(job: &Job, batches: usize) -> PathBuf {
    let epoch = Folder::checkpoint(&job.results, job.row, job.seed, job.done);
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

fn write(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let partial = path.with_extension("partial");
    let mut file = File::create(&partial)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&partial, path)
}
