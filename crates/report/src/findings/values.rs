//! The values of a metric by seed, their means and intervals, and their changes from the baseline.

use super::{Findings, Lowest, over_seeds};
use crate::record::{Metric, Reference, Run};
use crate::statistics::{Change, ConfidenceInterval, Scale, against_baseline};

impl Findings {
    /// A metric of each run of a row, with its seed.
    pub fn by_seed(&self, row: usize, metric: Metric) -> Vec<(u64, f64)> {
        let complete_only = metric.definition().complete_only;
        let reference = Reference {
            target_loss: self.summary.target_loss,
            baseline_seconds: None,
        };
        let runs = self.runs(row).into_iter();
        runs.filter(|run| !complete_only || run.status.is_complete())
            .filter_map(|run| Some((run.seed, metric.of(&run, reference)?)))
            .collect()
    }

    /// The same for every row.
    pub(crate) fn rows_by_seed(&self, metric: Metric) -> Vec<Vec<(u64, f64)>> {
        let rows = 0..self.rows.len();
        rows.map(|row| self.by_seed(row, metric)).collect()
    }

    /// The runs of every row.
    pub(crate) fn runs_of_rows(&self) -> Vec<Vec<Run<'_>>> {
        (0..self.rows.len()).map(|row| self.runs(row)).collect()
    }

    /// The mean of a metric over the runs of a row, with its confidence interval.
    pub fn interval(&self, row: usize, metric: Metric) -> ConfidenceInterval {
        if metric == Metric::TestWordErrorPercent {
            return self.summary.rows[row].get(metric);
        }
        over_seeds(&self.by_seed(row, metric))
    }

    /// The mean of a metric over the runs of a row.
    pub fn mean(&self, row: usize, metric: Metric) -> Option<f64> {
        self.interval(row, metric).mean
    }

    /// The rows that have this metric, with its mean, lowest first.
    pub fn ranked(&self, metric: Metric) -> Vec<(f64, usize)> {
        let rows = 0..self.summary.rows.len();
        let mut ranked: Vec<_> = rows
            .filter_map(|row| Some((self.mean(row, metric)?, row)))
            .collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        ranked
    }

    fn change(&self, row: usize, from: usize, metric: Metric, scale: Scale) -> Option<Change> {
        let (old, new) = (self.by_seed(from, metric), self.by_seed(row, metric));
        Change::between(&old, &new, scale)
    }

    /// The ratio of a metric between two rows.
    pub fn ratio(&self, row: usize, to: usize, metric: Metric) -> Option<f64> {
        let change = self.change(row, to, metric, Scale::Ratio);
        change.map(|change| change.estimate)
    }

    /// How a metric of each row differs from the baseline's, tested for all rows together.
    pub(crate) fn compared(&self, metric: Metric, scale: Scale) -> Vec<Option<Change>> {
        let rows = 0..self.summary.rows.len();
        let Some(baseline) = self.baseline else {
            return rows.map(|_| None).collect();
        };
        if (metric, scale) == (Metric::TestWordErrorPercent, Scale::Difference) {
            let of = |row: usize| self.summary.rows[row].word_errors;
            return rows
                .map(|row| of(row).filter(|_| row != baseline))
                .collect();
        }
        let values = |row: usize| match metric {
            // The seeds that reached the target are the fast ones, so their mean is no mean of the strategy.
            Metric::SecondsToLoss if !self.reached_target(row).by_all() => Vec::new(),
            _ => self.by_seed(row, metric),
        };
        against_baseline(&rows.map(values).collect::<Vec<_>>(), baseline, scale)
    }

    /// How the lowest loss of each row differs from the baseline's, tested for all rows together.
    pub(super) fn lowest_compared(&self) -> Vec<Option<Change>> {
        let rows = 0..self.summary.rows.len();
        let values = rows.map(|row| Lowest::by_seed(&self.runs(row)));
        let values: Vec<_> = values.collect();
        match self.baseline {
            Some(baseline) => against_baseline(&values, baseline, Scale::Difference),
            None => values.iter().map(|_| None).collect(),
        }
    }

    /// How many runs of a row reached the target loss.
    pub fn reached_target(&self, row: usize) -> ReachedTarget {
        let runs = self.runs(row);
        let ended = runs
            .iter()
            .filter(|run| run.status.is_complete() || run.status.is_broken());
        let seconds = self.by_seed(row, Metric::SecondsToLoss);
        let has_reached = |run: &&Run| seconds.iter().any(|&(seed, _)| seed == run.seed);
        ReachedTarget {
            reached: ended.clone().filter(has_reached).count(),
            ended: ended.count(),
        }
    }
}

/// How many runs reached the target loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachedTarget {
    /// Runs that reached it.
    pub reached: usize,
    /// Runs that completed, diverged or failed.
    pub ended: usize,
}

impl ReachedTarget {
    /// Whether every run reached it. Otherwise a mean over the runs that did would be too low.
    pub fn by_all(self) -> bool {
        self.reached > 0 && self.reached == self.ended
    }
}
