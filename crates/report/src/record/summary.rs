//! The summary of an experiment: every metric of each strategy, as a mean over seeds, computed from the recorded epochs.

use serde_json::{Map, Value};

use super::baseline;
use super::{
    EpochRow, ExperimentConfig, Metric, Reference, Run, RunStatus, TestUtterance, WordsRecord,
    objects_as_csv, time_is_predicted,
};
use crate::statistics::{Change, ConfidenceInterval, Pair, Resampled, Scale, bootstrap};

/// The summary of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// One row per strategy, in the config's order.
    pub rows: Vec<SummaryRow>,
    /// Index of the baseline row: the one that the config names, or else random batches, or else the first row.
    pub baseline: Option<usize>,
    /// The target validation loss of [`Metric::SecondsToLoss`].
    pub target_loss: Option<f64>,
}

/// The summary of one strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    /// The name of the strategy in the config.
    pub strategy: String,
    /// The strategy as one line, with all defaults.
    pub resolved: String,
    /// Number of workers; none without `[train.parallel]`.
    pub workers: Option<u32>,
    /// Whether its training time is predicted, not measured ([`time_is_predicted`]).
    pub time_is_predicted: bool,
    /// Runs with at least one completed epoch.
    pub runs: usize,
    /// Completed epochs of the longest run.
    pub epochs: u64,
    /// Diverged runs.
    pub diverged: usize,
    /// Failed runs that were not retried.
    pub failed: usize,
    /// Utterances per second relative to the baseline row: the geometric mean over the common seeds, as in [`Change::between`].
    pub speed_ratio: Option<f64>,
    /// Word error rate on the test set: the difference from the baseline row in percentage points, by a paired [`bootstrap`] of
    /// all strategies together.
    pub word_errors: Option<Change>,
    /// Means over seeds, in the order of [`Metric::ALL`].
    intervals: Vec<ConfidenceInterval>,
}

impl Summary {
    /// Summarises epochs and word errors, in any order of strategies and seeds.
    pub fn of(config: &ExperimentConfig, epochs: &[EpochRow], words: &WordsRecord) -> Self {
        let runs: Vec<Vec<Run>> = config
            .strategy
            .iter()
            .map(|row| Run::all(&row.name, config, epochs, words))
            .collect();
        let target_loss = config.measure.target_loss.or_else(|| reached_by_all(&runs));
        let baseline_seconds = config.measure.baseline.as_ref().and_then(|name| {
            let at = config.strategy.iter().position(|row| row.name == *name)?;
            ConfidenceInterval::of(runs[at].iter().map(Run::epoch_seconds)).mean
        });
        let reference = Reference {
            target_loss,
            baseline_seconds,
        };
        let baseline = baseline::index(config);
        let speeds = |runs: &[Run]| -> Vec<(u64, f64)> {
            let speed = |run: &Run| Metric::UtterancesPerSecond.of(run, reference);
            runs.iter()
                .filter_map(|run| Some((run.seed, speed(run)?)))
                .collect()
        };
        let baseline_speeds = baseline.map(|row| speeds(&runs[row])).unwrap_or_default();
        let with_baseline = |row: usize| (baseline.unwrap_or(row), row);
        let pairs: Vec<_> = (0..runs.len()).map(with_baseline).collect();
        let resampled = resampled(&runs, &words.utterances, &pairs);
        let rows = config.strategy.iter().zip(&runs).enumerate();
        let rows = rows.map(|(index, (row, runs))| {
            let count = |is: fn(&Run) -> bool| runs.iter().filter(|run| is(run)).count();
            let any_complete = runs.iter().any(|run| run.status.is_complete());
            let over_runs = |metric: &Metric| {
                // While the first run trains, its values so far are shown.
                let complete_only = metric.definition().complete_only && any_complete;
                let included = runs
                    .iter()
                    .filter(|run| !complete_only || run.status.is_complete());
                let over_seeds =
                    ConfidenceInterval::of(included.map(|run| metric.of(run, reference)));
                match metric {
                    Metric::TestWordErrorPercent => ConfidenceInterval {
                        half_width: resampled.intervals[index]
                            .map(|(low, high)| (high - low) / 2.0),
                        ..over_seeds
                    },
                    _ => over_seeds,
                }
            };
            SummaryRow {
                strategy: row.name.clone(),
                resolved: row.strategy.to_string(),
                workers: row.workers,
                time_is_predicted: time_is_predicted(config, row),
                runs: count(|run| !run.epochs.is_empty()),
                epochs: runs.iter().map(|run| run.epochs.len()).max().unwrap_or(0) as u64,
                diverged: count(|run| matches!(run.status, RunStatus::Diverged { .. })),
                failed: count(|run| matches!(run.status, RunStatus::Failed { .. })),
                speed_ratio: Change::between(&baseline_speeds, &speeds(runs), Scale::Ratio)
                    .map(|change| change.estimate),
                word_errors: resampled.changes[index].filter(|_| Some(index) != baseline),
                intervals: Metric::ALL.iter().map(over_runs).collect(),
            }
        });
        Summary {
            rows: rows.collect(),
            baseline,
            target_loss,
        }
    }

    /// Whether any strategy has a word error rate on the test set.
    pub fn is_decoded(&self) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| row.get(Metric::TestWordErrorPercent).mean.is_some())
    }

    /// As JSON: an array with one object per strategy.
    pub fn to_json(&self) -> Value {
        Value::Array(
            self.rows
                .iter()
                .map(|row| row.to_json(self.target_loss).into())
                .collect(),
        )
    }

    /// As CSV: a header, then one line per strategy.
    pub fn to_csv(&self) -> std::io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let objects = self.rows.iter().map(|row| row.to_json(self.target_loss));
        objects_as_csv(objects, &mut text)?;
        Ok(text)
    }
}

impl SummaryRow {
    /// The mean of one metric over seeds.
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
        if let Some(workers) = self.workers {
            object.insert("workers".into(), workers.into());
            object.insert("time_is_predicted".into(), self.time_is_predicted.into());
        }
        object
    }
}

/// Word error rates with their intervals: one per strategy; and the differences of pairs, each second − first.
pub(crate) fn resampled(
    runs: &[Vec<Run>],
    utterances: &[TestUtterance],
    pairs: &[(usize, usize)],
) -> Resampled {
    let strategies: Vec<_> = runs
        .iter()
        .map(|runs| runs.iter().filter_map(Run::word_errors).collect())
        .collect();
    let words: Vec<u32> = utterances.iter().map(|one| one.words).collect();
    let pair = |&(old, new): &(usize, usize)| Pair {
        old,
        new,
        scale: Scale::Difference,
    };
    let pairs: Vec<Pair> = pairs.iter().map(pair).collect();
    bootstrap(&words, &strategies, &pairs)
}

/// The lowest validation loss that every completed run of every strategy reaches.
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
