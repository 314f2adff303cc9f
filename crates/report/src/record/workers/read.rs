//! Reads `workers.csv`, and checks that it agrees with the config.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use padwise_sampler::excerpt::excerpt;

use super::super::check_values::{MAX_COUNT, MAX_SECONDS, at_most, within};
use super::super::sequence::REMEDY;
use super::super::table::{line_of, read_table};
use super::super::{EpochRow, ExperimentConfig, ReadError};
use super::{WorkerTimes, WorkersRow};

/// Reads `workers.csv`, which is optional, and checks that it agrees with the config.
///
/// A run may be killed between writing `workers.csv` and `epochs.csv`. So a line without a completed epoch is ignored, and of
/// several lines for one epoch the last one counts.
pub fn read_workers(
    folder: &Path,
    config: &ExperimentConfig,
    epochs: &[EpochRow],
) -> Result<WorkerTimes, ReadError> {
    let path = folder.join("workers.csv");
    let mut rows = read_table(&path, &[], WorkersRow::check_values)?;
    check_plan(&path, &rows, config)?;
    let complete = epochs.iter().filter(|epoch| epoch.is_complete());
    let complete: HashSet<(&str, u64, u64)> = complete
        .map(|epoch| (epoch.strategy.as_str(), epoch.seed, epoch.epoch))
        .collect();
    let last: HashMap<(&str, u64, u64), usize> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| (row.key(), index))
        .collect();
    let is_kept = |(index, row): (usize, &WorkersRow)| {
        complete.contains(&row.key()) && last.get(&row.key()) == Some(&index)
    };
    let kept: Vec<bool> = rows.iter().enumerate().map(is_kept).collect();
    let mut kept = kept.into_iter();
    rows.retain(|_| kept.next() == Some(true));
    Ok(WorkerTimes { rows })
}

impl WorkersRow {
    fn key(&self) -> (&str, u64, u64) {
        (&self.strategy, self.seed, self.epoch)
    }

    /// Checks every value; the message names the column, the value and what is valid.
    fn check_values(&self) -> Result<(), String> {
        let listed = self.worker_seconds.len() as u64;
        if listed != self.workers {
            let workers = self.workers;
            return Err(format!(
                "invalid worker_seconds: {listed} times for workers `{workers}`, expected one per worker"
            ));
        }
        for &seconds in &self.worker_seconds {
            within("worker_seconds", Some(seconds), 0.0, MAX_SECONDS)?;
        }
        for (name, seconds) in [
            ("averaging_seconds", self.averaging_seconds),
            ("waiting_seconds", self.waiting_seconds),
        ] {
            within(name, Some(seconds), 0.0, MAX_SECONDS)?;
        }
        at_most("repeated", self.repeated, "", MAX_COUNT)?;
        at_most("dropped", self.dropped, "", MAX_COUNT)
    }
}

/// Checks that every row belongs to a run that the config plans, with its number of workers.
fn check_plan(
    path: &Path,
    rows: &[WorkersRow],
    config: &ExperimentConfig,
) -> Result<(), ReadError> {
    let planned: HashMap<&str, Option<u32>> = config
        .strategy
        .iter()
        .map(|row| (row.name.as_str(), row.workers))
        .collect();
    for (index, row) in rows.iter().enumerate() {
        let problem = match planned.get(row.strategy.as_str()) {
            None => "config.toml has no such strategy".to_owned(),
            _ if !config.train.seeds.contains(&row.seed) => {
                "config.toml has no such seed".to_owned()
            }
            Some(None) => "config.toml has no table [train.parallel]".to_owned(),
            Some(Some(workers)) if u64::from(*workers) != row.workers => {
                format!("{} workers, but config.toml plans {workers}", row.workers)
            }
            Some(Some(_)) => continue,
        };
        let (strategy, seed, epoch) = (excerpt(&row.strategy), row.seed, row.epoch);
        return Err(ReadError::Line {
            path: path.into(),
            line: line_of(path, index),
            problem: format!(
                "epoch {epoch} of strategy `{strategy}`, seed {seed}: {problem}; {REMEDY}"
            ),
        });
    }
    Ok(())
}
