//! What an experiment says: for each strategy means over its runs, made from the recorded epochs and from nothing else.

use serde_json::{Map, Value};

use super::{EpochRow, Interval, Measured, Status};
use crate::config::{Row, RunConfig};

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
    /// Means over runs, in the order of [`Measured::ALL`].
    pub measures: Vec<Interval>,
}

/// The epochs of one run.
struct Run<'a> {
    /// Those that were trained to their end.
    epochs: Vec<&'a EpochRow>,
    last: Status,
}

impl Summary {
    /// Of these epochs, in any order of strategies and seeds.
    pub fn of(config: &RunConfig, rows: &[Row], epochs: &[EpochRow]) -> Self {
        let runs: Vec<Vec<Run>> = rows
            .iter()
            .map(|row| runs_of(&row.name, &config.train.seeds, epochs))
            .collect();
        let target_loss = config.measure.target_loss.or_else(|| reached_by_all(&runs));
        let baseline = config.measure.baseline.as_ref().and_then(|name| {
            let at = rows.iter().position(|row| row.name == *name)?;
            Interval::of(runs[at].iter().map(Run::epoch_seconds)).mean
        });
        let summaries = rows.iter().zip(&runs).map(|(row, runs)| SummaryRow {
            strategy: row.name.clone(),
            resolved: row.strategy.to_string(),
            runs: runs.iter().filter(|run| !run.epochs.is_empty()).count(),
            epochs: runs
                .iter()
                .map(|run| run.epochs.len() as u64)
                .max()
                .unwrap_or(0),
            diverged: count(runs, Status::Diverged),
            failed: count(runs, Status::Failed),
            measures: Measured::ALL
                .map(|measured| {
                    let total = config.train.epochs;
                    let values = runs
                        .iter()
                        .map(|run| run.value(measured, total, target_loss, baseline));
                    Interval::of(values)
                })
                .to_vec(),
        });
        Summary {
            rows: summaries.collect(),
            target_loss,
        }
    }

    /// An array of objects, one a strategy.
    pub fn to_json(&self) -> Value {
        Value::Array(
            self.rows
                .iter()
                .map(|row| row.to_json(self.target_loss))
                .collect(),
        )
    }

    /// A line of names, then a line a strategy.
    pub fn to_csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for (index, row) in self.rows.iter().enumerate() {
            let object = row.to_json(self.target_loss);
            let Value::Object(fields) = &object else {
                continue;
            };
            if index == 0 {
                writer.write_record(fields.keys())?;
            }
            writer.write_record(fields.values().map(|value| match value {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                other => other.to_string(),
            }))?;
        }
        writer
            .into_inner()
            .map_err(|error| csv::Error::from(std::io::Error::other(error.to_string())))
    }
}

impl SummaryRow {
    /// One measure over the runs.
    pub fn get(&self, measured: Measured) -> Interval {
        let at = Measured::ALL.iter().position(|&other| other == measured);
        at.and_then(|at| self.measures.get(at).copied())
            .unwrap_or_default()
    }

    fn to_json(&self, target_loss: Option<f64>) -> Value {
        let mut object = Map::new();
        object.insert("strategy".into(), self.strategy.clone().into());
        object.insert("resolved".into(), self.resolved.clone().into());
        object.insert("runs".into(), self.runs.into());
        object.insert("epochs".into(), self.epochs.into());
        object.insert("diverged".into(), self.diverged.into());
        object.insert("failed".into(), self.failed.into());
        for (measured, interval) in Measured::ALL.iter().zip(&self.measures) {
            object.insert(measured.name().into(), interval.mean.into());
            let half_width = format!("{}_ci95", measured.name());
            object.insert(half_width, interval.half_width.into());
        }
        object.insert("target_loss".into(), target_loss.into());
        Value::Object(object)
    }
}

fn runs_of<'a>(name: &str, seeds: &[u64], epochs: &'a [EpochRow]) -> Vec<Run<'a>> {
    seeds
        .iter()
        .filter_map(|&seed| {
            let own: Vec<&EpochRow> = epochs
                .iter()
                .filter(|row| row.strategy == name && row.seed == seed)
                .collect();
            Some(Run {
                last: own.last()?.status,
                epochs: own.into_iter().filter(|row| row.is_complete()).collect(),
            })
        })
        .collect()
}

fn count(runs: &[Run], status: Status) -> usize {
    runs.iter().filter(|run| run.last == status).count()
}

/// The lowest validation loss that every run of every strategy reaches; runs that diverged or failed promise nothing.
fn reached_by_all(runs: &[Vec<Run>]) -> Option<f64> {
    runs.iter()
        .flatten()
        .filter(|run| !matches!(run.last, Status::Diverged | Status::Failed))
        .filter_map(|run| {
            run.epochs
                .iter()
                .filter_map(|row| row.validation_loss)
                .min_by(f64::total_cmp)
        })
        .max_by(f64::total_cmp)
}

impl Run<'_> {
    fn sum(&self, of: impl Fn(&EpochRow) -> f64) -> f64 {
        self.epochs.iter().map(|row| of(row)).sum()
    }

    /// The sum of something over the training time.
    fn per_second(&self, of: impl Fn(&EpochRow) -> u64) -> Option<f64> {
        let seconds = self.sum(|row| row.train_seconds);
        (seconds > 0.0).then(|| self.sum(|row| of(row) as f64) / seconds)
    }

    fn epoch_seconds(&self) -> Option<f64> {
        let count = self.epochs.len() as f64;
        (count > 0.0).then(|| self.sum(|row| row.train_seconds) / count)
    }

    fn mean(&self, of: impl Fn(&EpochRow) -> Option<f64>) -> Option<f64> {
        Interval::of(self.epochs.iter().map(|row| of(row))).mean
    }

    fn largest(&self, of: impl Fn(&EpochRow) -> Option<u64>) -> Option<f64> {
        let largest = self.epochs.iter().filter_map(|row| of(row)).max();
        largest.map(|value| value as f64)
    }

    fn last(&self, of: impl Fn(&EpochRow) -> Option<f64>) -> Option<f64> {
        self.epochs.iter().rev().find_map(|row| of(row))
    }

    /// Validation losses with their epochs.
    fn losses(&self) -> Vec<(u64, f64)> {
        let losses = self.epochs.iter();
        losses
            .filter_map(|row| Some((row.epoch, row.validation_loss?)))
            .collect()
    }

    /// The loss at this share of training, averaged with the one before and the one after, as Ge et al. (2021) smooth theirs.
    fn smoothed(&self, share: f64, total: u64) -> Option<f64> {
        let losses = self.losses();
        let epoch = share * total as f64;
        let at = losses
            .iter()
            .position(|&(at, _)| at as f64 >= epoch - 1e-9)?;
        let around = &losses[at.saturating_sub(1)..(at + 2).min(losses.len())];
        Some(around.iter().map(|(_, loss)| loss).sum::<f64>() / around.len() as f64)
    }

    fn value(
        &self,
        measured: Measured,
        total: u64,
        target_loss: Option<f64>,
        baseline: Option<f64>,
    ) -> Option<f64> {
        const EARLY: f64 = 100.0 / 220.0;
        const MIDDLE: f64 = 160.0 / 220.0;
        match measured {
            Measured::Batches => self.mean(|row| Some(row.batches as f64)),
            Measured::ZprPercent => self.mean(|row| row.zpr_percent),
            Measured::Abl => self.mean(|row| row.abl),
            Measured::LargestBatchFrames => self.largest(|row| Some(row.largest_batch_frames)),
            Measured::Dropped => self.mean(|row| Some(row.dropped as f64)),
            Measured::UtterancesPerSecond => self.per_second(|row| row.utterances),
            Measured::ValidFramesPerSecond => self.per_second(|row| row.valid_frames),
            Measured::PaddedFramesPerSecond => self.per_second(|row| row.padded_frames),
            Measured::WaitPercent => {
                let seconds = self.sum(|row| row.train_seconds);
                (seconds > 0.0).then(|| 100.0 * self.sum(|row| row.wait_seconds) / seconds)
            }
            Measured::EpochSeconds => self.epoch_seconds(),
            Measured::WarmUpSeconds => self.epochs.first().map(|row| row.warm_up_seconds),
            Measured::MemoryGb => self
                .largest(EpochRow::memory_bytes)
                .map(|bytes| bytes / 1e9),
            Measured::SpeedUp => Some(baseline? / self.epoch_seconds()?),
            Measured::TimeSavedPercent => Some(100.0 * (1.0 - self.epoch_seconds()? / baseline?)),
            Measured::TrainLoss => self.last(|row| row.train_loss),
            Measured::ValidationLossEarly => self.smoothed(EARLY, total),
            Measured::ValidationLossMiddle => self.smoothed(MIDDLE, total),
            Measured::ValidationLoss => self.last(|row| row.validation_loss),
            Measured::ValidationLossAverage => {
                let late = self.losses().into_iter();
                let late = late.filter(|&(epoch, _)| epoch as f64 >= EARLY * total as f64);
                Interval::of(late.map(|(_, loss)| Some(loss))).mean
            }
            Measured::FrameErrorPercent => self.last(|row| row.frame_error_percent),
            Measured::SequenceErrorPercent => self.last(|row| row.sequence_error_percent),
            Measured::SecondsToLoss => {
                let mut seconds = 0.0;
                for row in &self.epochs {
                    seconds += row.train_seconds;
                    if row
                        .validation_loss
                        .is_some_and(|loss| Some(loss) <= target_loss)
                    {
                        return Some(seconds);
                    }
                }
                None
            }
        }
    }
}
