//! What an experiment says: for each strategy means over its runs, made from the recorded epochs and from nothing else.

use serde_json::{Map, Value};

use super::{EpochRow, ExperimentConfig, Metric, Reference, Run, RunStatus, objects_as_csv};
use crate::statistics::ConfidenceInterval;

/// Every strategy of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// One for each strategy, in the config's order.
    pub rows: Vec<SummaryRow>,
    /// The loss that time was measured to.
    pub target_loss: Option<f64>,
}

/// One strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    /// The row of the config.
    pub strategy: String,
    /// The strategy on one line.
    pub resolved: String,
    /// Runs with at least one epoch.
    pub runs: usize,
    /// Epochs of the longest run.
    pub epochs: u64,
    /// Runs that diverged.
    pub diverged: usize,
    /// Runs that failed, and have not been tried again.
    pub failed: usize,
    /// Means over runs, in the order of [`Metric::ALL`].
    intervals: Vec<ConfidenceInterval>,
}

impl Summary {
    /// Of these epochs, in any order of strategies and seeds.
    pub fn of(config: &ExperimentConfig, epochs: &[EpochRow]) -> Self {
        let runs: Vec<Vec<Run>> = config
            .strategy
            .iter()
            .map(|row| Run::all(&row.name, config, epochs))
            .collect();
        let target_loss = config.measure.target_loss.or_else(|| reached_by_all(&runs));
        let baseline = config.measure.baseline.as_ref().and_then(|name| {
            let at = config.strategy.iter().position(|row| row.name == *name)?;
            ConfidenceInterval::of(runs[at].iter().map(Run::epoch_seconds)).mean
        });
        let reference = Reference {
            target_loss,
            baseline_seconds: baseline,
        };
        let rows = config.strategy.iter().zip(&runs);
        let rows = rows.map(|(row, runs)| {
            let count = |is: fn(&Run) -> bool| runs.iter().filter(|run| is(run)).count();
            let over_runs = |metric: &Metric| {
                ConfidenceInterval::of(runs.iter().map(|run| metric.of(run, reference)))
            };
            SummaryRow {
                strategy: row.name.clone(),
                resolved: row.strategy.to_string(),
                runs: count(|run| !run.epochs.is_empty()),
                epochs: runs.iter().map(|run| run.epochs.len()).max().unwrap_or(0) as u64,
                diverged: count(|run| matches!(run.status, RunStatus::Diverged { .. })),
                failed: count(|run| matches!(run.status, RunStatus::Failed { .. })),
                intervals: Metric::ALL.iter().map(over_runs).collect(),
            }
        });
        Summary {
            rows: rows.collect(),
            target_loss,
        }
    }

    /// An array of objects, one a strategy.
    pub fn to_json(&self) -> Value {
        Value::Array(
            self.rows
                .iter()
                .map(|row| row.to_json(self.target_loss).into())
                .collect(),
        )
    }

    /// A line of names, then a line a strategy.
    pub fn to_csv(&self) -> std::io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let objects = self.rows.iter().map(|row| row.to_json(self.target_loss));
        objects_as_csv(objects, &mut text)?;
        Ok(text)
    }
}

impl SummaryRow {
    /// One metric over the runs.
    pub fn get(&self, metric: Metric) -> ConfidenceInterval {
        self.intervals[metric as usize]
    }

    fn to_json(&self, target_loss: Option<f64>) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("strategy".into(), self.strategy.clone().into());
        object.insert("resolved".into(), self.resolved.clone().into());
        object.insert("runs".into(), self.runs.into());
        object.insert("epochs".into(), self.epochs.into());
        object.insert("diverged".into(), self.diverged.into());
        object.insert("failed".into(), self.failed.into());
        for (metric, interval) in Metric::ALL.iter().zip(&self.intervals) {
            object.insert(metric.name().into(), interval.mean.into());
            let half_width = format!("{}_ci95", metric.name());
            object.insert(half_width, interval.half_width.into());
        }
        object.insert("target_loss".into(), target_loss.into());
        object
    }
}

/// The lowest validation loss that every run of every strategy reaches; only runs that came to their end promise anything.
fn reached_by_all(runs: &[Vec<Run>]) -> Option<f64> {
    runs.iter()
        .flatten()
        .filter(|run| run.status.is_complete())
        .filter_map(|run| {
            let losses = run.losses().into_iter();
            losses.map(|(_, loss)| loss).min_by(f64::total_cmp)
        })
        .max_by(f64::total_cmp)
}
