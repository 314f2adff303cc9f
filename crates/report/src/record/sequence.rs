//! Checks that recorded epochs form complete runs: no gap, no duplicate, nothing after the end, nothing that was not planned.

use std::collections::HashMap;
use std::path::Path;

use padwise_sampler::excerpt::excerpt;

use super::table::line_of;
use super::{EpochRow, ExperimentConfig, ReadError};

/// What to do about a row that does not belong in the file.
pub(super) const REMEDY: &str =
    "the file was edited or damaged; restore it, or run again with another --out folder";

/// The row that must come next in a run.
struct Expected {
    epoch: u64,
    ended: bool,
}

/// Checks that the epochs of each run (strategy and seed) are 1, 2, 3 … in order. Runs may be interleaved.
///
/// A failed epoch may be repeated, because resuming retries it. Nothing may follow the last epoch of a run that stopped or
/// diverged. `path` is the file that the rows come from, for error messages.
pub fn check_sequence(path: &Path, rows: &[EpochRow]) -> Result<(), ReadError> {
    let mut runs: HashMap<(&str, u64), Expected> = HashMap::new();
    for (index, row) in rows.iter().enumerate() {
        let expected = runs.entry((&row.strategy, row.seed)).or_insert(Expected {
            epoch: 1,
            ended: false,
        });
        let problem = if expected.ended {
            Some("expected no row, because the run had ended".to_owned())
        } else if row.epoch != expected.epoch {
            Some(format!("expected epoch {}", expected.epoch))
        } else {
            None
        };
        if let Some(problem) = problem {
            return Err(refused(path, index, row, &problem));
        }
        expected.epoch += u64::from(row.is_complete());
        expected.ended = row.is_final();
    }
    Ok(())
}

/// Checks that every row belongs to a run that the config plans, and that no epoch exceeds the planned number.
///
/// `path` is the file that the rows come from, for error messages.
pub fn check_rows(
    path: &Path,
    rows: &[EpochRow],
    config: &ExperimentConfig,
) -> Result<(), ReadError> {
    for (index, row) in rows.iter().enumerate() {
        let planned = config.train.epochs;
        let problem = if !config
            .strategy
            .iter()
            .any(|known| known.name == row.strategy)
        {
            "config.toml has no such strategy".to_owned()
        } else if !config.train.seeds.contains(&row.seed) {
            "config.toml has no such seed".to_owned()
        } else if row.epoch > planned {
            format!("config.toml plans {planned} epochs")
        } else {
            continue;
        };
        return Err(refused(path, index, row, &problem));
    }
    Ok(())
}

fn refused(path: &Path, index: usize, row: &EpochRow, problem: &str) -> ReadError {
    let EpochRow {
        strategy,
        seed,
        epoch,
        ..
    } = row;
    ReadError::Line {
        path: path.into(),
        line: line_of(path, index),
        problem: format!(
            "epoch {epoch} of strategy `{}`, seed {seed}: {problem}; {REMEDY}",
            excerpt(strategy)
        ),
    }
}
