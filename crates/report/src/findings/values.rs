//! The values of a metric by seed, their means and intervals, and their changes from the baseline.

use super::Findings;
use crate::record::{Metric, Reference};
use crate::statistics::{Change, ConfidenceInterval, Scale, against_baseline, corrected};

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

    /// The mean of a metric over the runs of a row, with its confidence interval.
    pub fn interval(&self, row: usize, metric: Metric) -> ConfidenceInterval {
        if metric == Metric::TestWordErrorPercent {
            return self.summary.rows[row].get(metric);
        }
        let values = self.by_seed(row, metric).into_iter();
        ConfidenceInterval::of(values.map(|(_, value)| Some(value)))
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
            return corrected(
                rows.map(|row| of(row).filter(|_| row != baseline))
                    .collect(),
            );
        }
        let values: Vec<_> = rows.map(|row| self.by_seed(row, metric)).collect();
        against_baseline(&values, baseline, scale)
    }
}
