//! Times of parallel workers: `workers.csv`, one line per epoch of a run with `[train.parallel]`.

mod read;

use padwise_experiment_config::ParallelEngine;
use serde::{Deserialize, Serialize};

use super::{ExperimentConfig, Row, numbers};
pub use read::read_workers;

/// The times of the workers in one epoch: a line of `workers.csv`. Times are in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkersRow {
    /// The name of the row in the config.
    pub strategy: String,
    /// The seed of the run.
    pub seed: u64,
    /// The epoch, from 1.
    pub epoch: u64,
    /// Number of workers.
    pub workers: u64,
    /// Each worker's own training time, without averaging or waiting for others; separated by spaces in the file.
    #[serde(with = "numbers")]
    pub worker_seconds: Vec<f64>,
    /// Time of averaging.
    pub averaging_seconds: f64,
    /// Time of the epoch beyond the slowest worker and averaging; 0 if workers take turns.
    pub waiting_seconds: f64,
    /// Utterances or chunks that the division over workers trains twice.
    pub repeated: u64,
    /// Utterances or chunks that the division over workers leaves out.
    pub dropped: u64,
}

impl WorkersRow {
    /// The time of the slowest worker.
    pub fn slowest_seconds(&self) -> f64 {
        self.worker_seconds.iter().copied().fold(0.0, f64::max)
    }

    /// The mean time of a worker.
    pub fn mean_seconds(&self) -> f64 {
        let count = self.worker_seconds.len().max(1) as f64;
        self.worker_seconds.iter().sum::<f64>() / count
    }

    /// The time that a mean worker waits for the slowest one.
    pub fn imbalance_seconds(&self) -> f64 {
        (self.slowest_seconds() - self.mean_seconds()).max(0.0)
    }
}

/// The times of the workers in every completed epoch of an experiment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkerTimes {
    /// One row per epoch, in the order of the file.
    pub rows: Vec<WorkersRow>,
}

impl WorkerTimes {
    /// The times of one run.
    pub fn of_run(&self, strategy: &str, seed: u64) -> impl Iterator<Item = &WorkersRow> {
        self.rows
            .iter()
            .filter(move |row| row.strategy == strategy && row.seed == seed)
    }
}

/// Whether the training time of a row is predicted: several workers took turns in one process, so no parallel time was measured.
///
/// The prediction is the slowest worker's training time plus the time of averaging.
pub fn time_is_predicted(config: &ExperimentConfig, row: &Row) -> bool {
    let parallel = config.train.parallel.as_ref();
    parallel.is_some_and(|parallel| parallel.engine == ParallelEngine::Turns)
        && row.workers.is_some_and(|workers| workers > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imbalance_is_the_slowest_worker_beyond_the_mean() {
        let row = |worker_seconds: &[f64]| WorkersRow {
            worker_seconds: worker_seconds.to_vec(),
            ..WorkersRow::default()
        };
        let three = row(&[2.0, 5.0, 2.0]);
        assert_eq!((three.slowest_seconds(), three.mean_seconds()), (5.0, 3.0));
        assert_eq!(three.imbalance_seconds(), 2.0);
        assert_eq!(row(&[4.0]).imbalance_seconds(), 0.0);
        assert_eq!(row(&[]).imbalance_seconds(), 0.0);
    }
}
