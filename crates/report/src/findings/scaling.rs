//! How each strategy scales over workers: speed-up and efficiency, and the time lost to the slowest worker and to averaging.
//!
//! Khomenko et al. (2016) compare one strategy with 1 to 6 workers. Here every strategy is compared with itself.

use crate::record::{
    EpochRow, ExperimentConfig, Metric, Reference, Row, Run, WordsRecord, WorkerTimes, WorkersRow,
    time_is_predicted,
};
use crate::statistics::{Change, ConfidenceInterval, Scale, against_baseline};

/// Every strategy with several numbers of workers.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// In the config's order.
    pub strategies: Vec<StrategyScaling>,
}

/// One strategy with several numbers of workers.
#[derive(Clone, Debug, PartialEq)]
pub struct StrategyScaling {
    /// Its name, without a number of workers.
    pub name: String,
    /// One per number of workers, the smallest first.
    pub rows: Vec<ScalingRow>,
}

/// One strategy with one number of workers. Percentages are of the time of an epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingRow {
    /// Index of the row in the config.
    pub row: usize,
    /// Number of workers.
    pub workers: u32,
    /// Whether the time is predicted, not measured ([`time_is_predicted`]).
    pub time_is_predicted: bool,
    /// Time per epoch in seconds, of each seed.
    pub epoch_seconds: Vec<(u64, f64)>,
    /// Speed-up over the smallest number of workers of the strategy, tested for all its numbers of workers together.
    pub speed_up: Option<Change>,
    /// Speed-up divided by the increase in workers, in percent.
    pub efficiency_percent: Option<f64>,
    /// Time lost because the slowest worker takes longer than the mean, in percent, of each seed.
    pub slowest_percent: Vec<(u64, f64)>,
    /// Time of averaging in percent, of each seed.
    pub averaging_percent: Vec<(u64, f64)>,
    /// Time beyond the slowest worker and averaging in percent, of each seed.
    pub waiting_percent: Vec<(u64, f64)>,
    /// Final validation loss; completed runs only.
    pub validation_loss: ConfidenceInterval,
}

impl Scaling {
    /// From the record of an experiment. None without `[train.parallel]` or with fewer than two numbers of workers.
    pub fn of(config: &ExperimentConfig, epochs: &[EpochRow], times: &WorkerTimes) -> Option<Self> {
        let mut counts: Vec<u32> = config
            .strategy
            .iter()
            .filter_map(|row| row.workers)
            .collect();
        counts.sort_unstable();
        counts.dedup();
        if config.train.parallel.is_none() || counts.len() < 2 {
            return None;
        }
        let mut groups: Vec<(&Row, Vec<ScalingRow>)> = Vec::new();
        for (index, row) in config.strategy.iter().enumerate() {
            let measured = ScalingRow::of(index, config, epochs, times);
            match groups.iter_mut().find(|(first, _)| is_same(first, row)) {
                Some((_, rows)) => rows.push(measured),
                None => groups.push((row, vec![measured])),
            }
        }
        let strategies = groups.into_iter().map(|(first, mut rows)| {
            rows.sort_by_key(|row| row.workers);
            StrategyScaling {
                name: base_name(first).unwrap_or(&first.name).to_owned(),
                rows: compared_with_first(rows),
            }
        });
        Some(Scaling {
            strategies: strategies.collect(),
        })
    }

    /// All rows, strategy by strategy.
    pub fn rows(&self) -> impl Iterator<Item = &ScalingRow> {
        self.strategies.iter().flat_map(|strategy| &strategy.rows)
    }

    /// The row with this index in the config.
    pub fn row(&self, index: usize) -> Option<&ScalingRow> {
        self.rows().find(|row| row.row == index)
    }

    /// The numbers of workers of all strategies, smallest first.
    pub fn counts(&self) -> Vec<u32> {
        let mut counts: Vec<u32> = self.rows().map(|row| row.workers).collect();
        counts.sort_unstable();
        counts.dedup();
        counts
    }
}

impl ScalingRow {
    fn of(
        index: usize,
        config: &ExperimentConfig,
        epochs: &[EpochRow],
        times: &WorkerTimes,
    ) -> Self {
        let row = &config.strategy[index];
        let words = WordsRecord::default();
        let runs = Run::all(&row.name, config, epochs, &words);
        let share = |of: fn(&WorkersRow) -> f64| -> Vec<(u64, f64)> {
            let of_run = |run: &Run| {
                let times: Vec<&WorkersRow> = times.of_run(&row.name, run.seed).collect();
                Some((run.seed, share_percent(run, &times, of)?))
            };
            runs.iter().filter_map(of_run).collect()
        };
        let complete = runs.iter().filter(|run| run.status.is_complete());
        let loss = |run: &Run| Metric::ValidationLoss.of(run, Reference::default());
        ScalingRow {
            row: index,
            workers: row.workers.unwrap_or(1),
            time_is_predicted: time_is_predicted(config, row),
            epoch_seconds: runs
                .iter()
                .filter_map(|run| Some((run.seed, run.epoch_seconds()?)))
                .collect(),
            speed_up: None,
            efficiency_percent: None,
            slowest_percent: share(WorkersRow::imbalance_seconds),
            averaging_percent: share(|times| times.averaging_seconds),
            waiting_percent: share(|times| times.waiting_seconds),
            validation_loss: ConfidenceInterval::of(complete.map(loss)),
        }
    }
}

/// Seconds of the workers in percent of the training time, over the epochs that have both.
fn share_percent(run: &Run, times: &[&WorkersRow], of: fn(&WorkersRow) -> f64) -> Option<f64> {
    let (mut part, mut whole) = (0.0, 0.0);
    for epoch in &run.epochs {
        if let Some(times) = times.iter().find(|times| times.epoch == epoch.epoch) {
            part += of(times);
            whole += epoch.train_seconds;
        }
    }
    (whole > 0.0).then(|| 100.0 * part / whole)
}

/// Compares each row with the first, which has the fewest workers.
fn compared_with_first(mut rows: Vec<ScalingRow>) -> Vec<ScalingRow> {
    let Some(fewest) = rows.first().map(|row| row.workers) else {
        return rows;
    };
    // Speeds, so that a ratio to the first is a speed-up.
    let of_seed = |&(seed, seconds): &(u64, f64)| (seconds > 0.0).then_some((seed, 1.0 / seconds));
    let speeds = |row: &ScalingRow| row.epoch_seconds.iter().filter_map(of_seed).collect();
    let speeds: Vec<Vec<(u64, f64)>> = rows.iter().map(speeds).collect();
    let changes = against_baseline(&speeds, 0, Scale::Ratio);
    let unchanged = (!speeds[0].is_empty()).then_some(Change {
        estimate: 1.0,
        tested: None,
    });
    for (index, (row, change)) in rows.iter_mut().zip(changes).enumerate() {
        row.speed_up = if index == 0 { unchanged } else { change };
        let increase = f64::from(row.workers) / f64::from(fewest);
        let efficiency = |change: Change| 100.0 * change.estimate / increase;
        row.efficiency_percent = row.speed_up.map(efficiency);
    }
    rows
}

/// The mean of values by seed, with its confidence interval.
pub(crate) fn over_seeds(values: &[(u64, f64)]) -> ConfidenceInterval {
    ConfidenceInterval::of(values.iter().map(|&(_, value)| Some(value)))
}

/// Whether two rows are the same strategy with different numbers of workers.
fn is_same(one: &Row, other: &Row) -> bool {
    one.strategy == other.strategy && base_name(one) == base_name(other)
}

/// The name without `, 2 workers`, which is added if `train.parallel.workers` is a list.
fn base_name(row: &Row) -> Option<&str> {
    let suffix = match row.workers? {
        1 => ", 1 worker".to_owned(),
        workers => format!(", {workers} workers"),
    };
    row.name.strip_suffix(&suffix)
}

#[cfg(test)]
mod tests;
