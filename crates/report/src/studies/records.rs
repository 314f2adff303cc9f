//! Results folders by name, their runs by strategy, and values by epoch.

use std::path::Path;

use crate::findings::Findings;
use crate::record::{EpochRow, ReadError, Recorded, Run};
use crate::statistics::mean;

/// An opened results folder.
pub(super) struct Record(pub Findings);

impl Record {
    pub(super) fn open(results: &Path, name: &str) -> Result<Self, ReadError> {
        let recorded = Recorded::open(&results.join(name))?;
        Ok(Record(Findings::of(recorded)))
    }

    pub(super) fn problem(&self, problem: String) -> ReadError {
        ReadError::File {
            path: self.0.recorded.folder.clone(),
            problem,
        }
    }

    /// The names of its strategies.
    pub(super) fn strategies(&self) -> impl Iterator<Item = &str> {
        (0..self.0.rows.len()).map(|row| self.0.name(row))
    }

    /// The runs of a strategy, or an error if none has a completed epoch.
    pub(super) fn runs(&self, strategy: &str) -> Result<Vec<Run<'_>>, ReadError> {
        let runs = self.0.row(strategy).map(|row| self.0.runs(row));
        let runs = runs.unwrap_or_default();
        match runs.iter().any(|run| !run.epochs.is_empty()) {
            true => Ok(runs),
            false => Err(self.problem(format!("no completed epoch of `{strategy}`"))),
        }
    }
}

/// A value of an epoch.
pub(super) type Value = fn(&EpochRow) -> Option<f64>;

pub(super) const LOSS: Value = |row| row.validation_loss;
pub(super) const ERRORS: Value = |row| row.sequence_error_percent;

/// A value by epoch and run, for the number of epochs of the shortest run. NaN if it was not measured.
pub(super) fn by_epoch(runs: &[Run], value: Value) -> Vec<Vec<f64>> {
    let epochs = runs.iter().map(|run| run.epochs.len()).min().unwrap_or(0);
    let of = |run: &Run, epoch: usize| value(run.epochs[epoch]).unwrap_or(f64::NAN);
    (0..epochs)
        .map(|epoch| runs.iter().map(|run| of(run, epoch)).collect())
        .collect()
}

/// The mean of a value over runs, by epoch.
pub(super) fn means(runs: &[Run], value: Value) -> Vec<f64> {
    by_epoch(runs, value).iter().map(|row| mean(row)).collect()
}

/// Second − first, by epoch and run.
pub(super) fn differences(old: &[Vec<f64>], new: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let less = |(old, new): (&Vec<f64>, &Vec<f64>)| {
        old.iter().zip(new).map(|(old, new)| new - old).collect()
    };
    old.iter().zip(new).map(less).collect()
}

/// The lowest and the highest value.
pub(super) fn min_max(values: &[f64]) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let wider = |(low, high): (f64, f64), value: &f64| (low.min(*value), high.max(*value));
    values.iter().fold(start, wider)
}

/// Titles of columns for epochs.
pub(super) fn epoch_titles(epochs: usize) -> impl Iterator<Item = String> {
    (1..=epochs).map(|epoch| format!("epoch {epoch}"))
}
