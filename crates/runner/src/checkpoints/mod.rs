//! The checkpoints of a results folder: their names, their tags, and the last valid one of a run.
//!
//! A checkpoint is named after its run and its position. Its tag repeats both, together with the experiment's identity, so a
//! renamed file and a file of another experiment are found. The checkpoint of a finished epoch also has the epoch's row, so a row
//! that was lost from `epochs.csv` can be restored.

mod epoch_progress;
mod resume_state;
mod tag;

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use epoch_progress::EpochProgress;
pub use resume_state::ResumeState;
pub use tag::CheckpointTag;

/// The folder within a results folder.
pub const FOLDER: &str = "checkpoints";

/// Removes partial checkpoints of killed workers: hidden files named after a checkpoint.
pub fn remove_temporaries(results: &Path) {
    let entries = fs::read_dir(results.join(FOLDER));
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(".row") && name.contains(".safetensors.") {
            // A file that stays does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Gives a complete checkpoint a second name, durably.
pub fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::hard_link(from, to)?;
    if let Some(folder) = to.parent().filter(|_| cfg!(unix)) {
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// A position in a run: finished epochs, and trained batches of the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Finished epochs.
    pub epoch: u64,
    /// Trained batches of the next epoch. None if the checkpoint was written at the end of an epoch.
    pub batch: Option<usize>,
}

/// One run of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunId {
    /// The identity of the experiment.
    pub experiment: String,
    /// The index of the strategy in the config, from 0.
    pub row: usize,
    /// The seed.
    pub seed: u64,
}

impl RunId {
    /// The path of a checkpoint of this run.
    pub fn checkpoint(&self, results: &Path, position: Position) -> PathBuf {
        let epoch = position.epoch;
        let batch = match position.batch {
            Some(batch) => format!("-batch{batch:08}"),
            None => String::new(),
        };
        let name = format!("{}{epoch:04}{batch}.safetensors", self.prefix());
        results.join(FOLDER).join(name)
    }

    /// The path of the model of the best epoch so far, if the run has `train.patience`.
    pub fn best_checkpoint(&self, results: &Path, epoch: u64) -> PathBuf {
        let name = format!("{}{epoch:04}.safetensors", self.best_prefix());
        results.join(FOLDER).join(name)
    }

    /// Removes the models of best epochs, except one.
    pub fn remove_best_checkpoints(&self, results: &Path, kept: Option<u64>) {
        let kept = kept.map(|epoch| self.best_checkpoint(results, epoch));
        let entries = fs::read_dir(results.join(FOLDER));
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_best = name
                .trim_start_matches('.')
                .starts_with(&self.best_prefix());
            if is_best && Some(entry.path()) != kept {
                // A file that stays does no harm.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn best_prefix(&self) -> String {
        format!("row{:02}-seed{}-best", self.row, self.seed)
    }

    /// The path of the own state of a worker other than worker 0, which belongs to the checkpoint at the same position.
    pub fn worker_checkpoint(&self, results: &Path, position: Position, worker: usize) -> PathBuf {
        let main = self.checkpoint(results, position);
        main.with_extension(format!("worker{worker}.safetensors"))
    }

    fn prefix(&self) -> String {
        format!("row{:02}-seed{}-epoch", self.row, self.seed)
    }

    /// The checkpoints of this run, the earliest first.
    fn checkpoints(&self, results: &Path) -> Vec<(Position, PathBuf)> {
        let prefix = self.prefix();
        let entries = fs::read_dir(results.join(FOLDER))
            .into_iter()
            .flatten()
            .flatten();
        let mut found: Vec<_> = entries
            .filter_map(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                let position = name.strip_prefix(&prefix)?.strip_suffix(".safetensors")?;
                let (epoch, batch) = match position.split_once("-batch") {
                    Some((epoch, batch)) => (epoch, Some(batch.parse().ok()?)),
                    None => (position, None),
                };
                let epoch = epoch.parse().ok()?;
                Some((Position { epoch, batch }, entry.path()))
            })
            .collect();
        found.sort();
        found
    }

    /// Removes checkpoints of this run: all, or those before an epoch. Never later ones, which the worker may be writing.
    pub fn remove_checkpoints(&self, results: &Path, before: Option<u64>) {
        if before.is_none() {
            self.remove_best_checkpoints(results, None);
        }
        let prefix = self.prefix();
        let entries = fs::read_dir(results.join(FOLDER));
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            // A leading dot marks a partial file of a killed worker.
            let Some(rest) = name.trim_start_matches('.').strip_prefix(&prefix) else {
                continue;
            };
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let epoch = digits.parse::<u64>();
            if before.is_none_or(|kept| epoch.is_ok_and(|epoch| epoch < kept)) {
                // A checkpoint that stays does no harm.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Removes the checkpoints of the unfinished epoch after `epoch` finished ones, except the one at `kept` batches.
    pub fn remove_unfinished(&self, results: &Path, epoch: u64, kept: usize) {
        for (position, path) in self.checkpoints(results) {
            if position.epoch == epoch && position.batch.is_some_and(|batch| batch != kept) {
                // A file that stays does no harm: the latest is used.
                let _ = fs::remove_file(path);
            }
        }
    }
}
