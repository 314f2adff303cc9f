//! Finds the state that a run resumes from.

use std::path::{Path, PathBuf};

use padwise_model::training::checkpoint::Checkpoint;
use padwise_report::record::{EpochRow, WorkersRow};

use super::{CheckpointTag, FOLDER, Position, RunId};

/// The state that a run resumes from.
#[derive(Debug, Default)]
pub struct ResumeState {
    /// The position; the start of the run if no checkpoint is valid.
    pub position: Position,
    /// The checkpoint; none at the start of the run.
    pub checkpoint: Option<PathBuf>,
    /// A row that is missing in `epochs.csv`.
    pub lost_row: Option<Box<EpochRow>>,
    /// The times of the workers in that row's epoch, if training is parallel.
    pub lost_times: Option<Box<WorkersRow>>,
    /// Skipped checkpoints, each with the reason.
    pub rejected: Vec<String>,
}

impl RunId {
    /// Finds the last valid state of this run, which has `recorded` finished epochs in `epochs.csv`.
    ///
    /// If `epochs.csv` lacks the last row, the checkpoint of that epoch restores it. If no checkpoint of the last recorded epoch is
    /// valid, an earlier one or the start of the run is returned, and the caller removes the later rows.
    ///
    /// `workers` is the number of workers that save their own state. A checkpoint is valid only if all their files are.
    pub fn last_valid_state(&self, results: &Path, recorded: u64, workers: usize) -> ResumeState {
        let mut state = ResumeState::default();
        let mut recorded = recorded;
        let all = self.checkpoints(results);
        let finished = Position {
            epoch: recorded + 1,
            batch: None,
        };
        let read = |path: &Path, position| {
            let tag = self.read(path, position)?;
            for worker in 1..workers {
                self.read(&self.worker_checkpoint(results, position, worker), position)?;
            }
            Ok(tag)
        };
        if let Some((_, path)) = all.iter().find(|(position, _)| *position == finished) {
            match read(path, finished) {
                Ok(CheckpointTag {
                    row: Some(row),
                    times,
                    ..
                }) => {
                    state.lost_row = Some(row);
                    state.lost_times = times;
                    recorded += 1;
                }
                Ok(_) => state
                    .rejected
                    .push(named(path, "it has no row of its epoch")),
                Err(problem) => state.rejected.push(problem),
            }
        }
        for (position, path) in all.into_iter().rev() {
            if position.epoch > recorded {
                continue;
            }
            match read(&path, position) {
                Ok(_) => {
                    state.position = position;
                    state.checkpoint = Some(path);
                    return state;
                }
                Err(problem) => state.rejected.push(problem),
            }
        }
        state
    }

    /// Checks that the model of a run's best epoch can be read. An error names the file.
    pub fn check_best(&self, results: &Path, epoch: u64) -> Result<(), String> {
        let position = Position { epoch, batch: None };
        let path = self.best_checkpoint(results, epoch);
        self.read(&path, position).map(|_| ())
    }

    /// Reads the tag of a file. An error names the file.
    fn read(&self, path: &Path, position: Position) -> Result<CheckpointTag, String> {
        let checkpoint = Checkpoint::read(path).map_err(|error| {
            let (prefix, error) = (format!("{}: ", path.display()), error.to_string());
            named(path, error.strip_prefix(&prefix).unwrap_or(&error))
        })?;
        CheckpointTag::check(&checkpoint.tag, self, position)
            .map_err(|problem| named(path, &problem))
    }
}

fn named(path: &Path, problem: &str) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{FOLDER}/{name}: {problem}")
}
