//! A short verdict on each strategy, and the one to recommend: the fastest whose error and loss are not worse than the baseline's.

use super::{Findings, RowFindings};
use crate::record::Metric;
use crate::statistics::Change;

/// The verdict on one strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowVerdict {
    /// The strategy that others are compared with.
    Baseline,
    /// The fastest of those whose error is not worse.
    Recommended,
    /// Faster, and neither error nor loss is worse.
    Faster,
    /// Faster, with a worse error.
    FasterErrorWorse,
    /// Faster, with a worse loss but no worse error.
    FasterLossWorse,
    /// Faster, with a higher error or loss that is too uncertain to call worse.
    FasterErrorUnclear,
    /// Faster, but the error cannot be compared.
    FasterErrorUnknown,
    /// Not significantly faster.
    NoFaster,
    /// A run diverged.
    Diverged,
    /// A run failed.
    Failed,
    /// No run has finished.
    Unfinished,
    /// No run has started.
    NotRun,
}

impl RowVerdict {
    /// The verdict in a table cell.
    pub fn label(self) -> &'static str {
        match self {
            RowVerdict::Baseline => "baseline",
            RowVerdict::Recommended => "recommended",
            RowVerdict::Faster => "faster, error not worse",
            RowVerdict::FasterErrorWorse => "faster, error worse",
            RowVerdict::FasterLossWorse => "faster, loss worse",
            RowVerdict::FasterErrorUnclear => "faster, error unclear",
            RowVerdict::FasterErrorUnknown => "faster, error unknown",
            RowVerdict::NoFaster => "no faster",
            RowVerdict::Diverged => "diverged",
            RowVerdict::Failed => "failed",
            RowVerdict::Unfinished => "unfinished",
            RowVerdict::NotRun => "not run",
        }
    }
}

impl Findings {
    /// The verdict on each row.
    pub fn row_verdicts(&self) -> Vec<RowVerdict> {
        let errors = self.error_changes();
        let error_metric = self.error_metric().metric;
        let margin = self.error_margin();
        let rows = self.rows.iter().enumerate();
        let verdict = |(row, found): (usize, &RowFindings)| {
            if self.baseline == Some(row) {
                return RowVerdict::Baseline;
            }
            if let Some(verdict) = broken(found) {
                return verdict;
            }
            if !found.speed.is_some_and(is_faster) {
                return RowVerdict::NoFaster;
            }
            let Some(error) = errors[row] else {
                return RowVerdict::FasterErrorUnknown;
            };
            // A stated margin says which difference does not matter, so the loss decides nothing below it.
            if margin.is_some_and(|margin| error.is_below(margin)) {
                return RowVerdict::Faster;
            }
            let error = self.rise(error, error_metric);
            let loss = found
                .loss
                .map(|loss| self.rise(loss, Metric::ValidationLoss));
            match (error, loss) {
                (Rise::Clear, _) => RowVerdict::FasterErrorWorse,
                (_, Some(Rise::Clear)) => RowVerdict::FasterLossWorse,
                (Rise::Unclear, _) | (_, Some(Rise::Unclear)) => RowVerdict::FasterErrorUnclear,
                _ if !self.lowest_loss_is_no_higher(row) => RowVerdict::FasterLossWorse,
                _ => RowVerdict::Faster,
            }
        };
        let mut verdicts: Vec<RowVerdict> = rows.map(verdict).collect();
        let speed = |row: usize| self.rows[row].speed.map_or(0.0, |change| change.estimate);
        let fastest = (0..verdicts.len())
            .filter(|&row| verdicts[row] == RowVerdict::Faster)
            .max_by(|&a, &b| speed(a).total_cmp(&speed(b)));
        if let Some(row) = fastest {
            verdicts[row] = RowVerdict::Recommended;
        }
        verdicts
    }

    /// Whether a metric is higher than the baseline's. With few seeds a real difference is often not significant. A higher mean therefore counts as no rise only if it is within the baseline's confidence interval, and if the interval of the difference
    /// includes zero.
    fn rise(&self, change: Change, metric: Metric) -> Rise {
        let baseline = self.baseline.map(|row| self.interval(row, metric));
        let margin = baseline.and_then(|interval| interval.half_width);
        let includes_zero = change.tested.is_some_and(|tested| tested.low <= 0.0);
        match change.estimate {
            estimate if estimate <= 0.0 => Rise::None,
            _ if !includes_zero => Rise::Clear,
            estimate if estimate <= margin.unwrap_or(0.0) => Rise::None,
            _ => Rise::Unclear,
        }
    }

    /// Whether the lowest loss is no higher than the baseline's. If the baseline overfitted, its final loss is too easy to beat.
    fn lowest_loss_is_no_higher(&self, row: usize) -> bool {
        let lowest = |row: usize| self.rows[row].lowest.map(|lowest| lowest.loss);
        let interval = self
            .baseline
            .map(|row| self.interval(row, Metric::ValidationLoss));
        let margin = interval.and_then(|interval| interval.half_width);
        let most = self.baseline.and_then(lowest);
        most.zip(lowest(row))
            .is_none_or(|(most, loss)| loss <= most + margin.unwrap_or(0.0))
    }
}

/// How a metric compares with the baseline's.
enum Rise {
    /// Not higher, or by less than the baseline varies.
    None,
    /// Higher, but the interval of the difference includes zero.
    Unclear,
    /// Higher, and the interval excludes zero or there is no test.
    Clear,
}

/// The verdict on a strategy with a broken run, or without a finished one. Its other runs do not count.
fn broken(found: &RowFindings) -> Option<RowVerdict> {
    let status = &found.status;
    if !status.diverged.is_empty() {
        Some(RowVerdict::Diverged)
    } else if !status.failed.is_empty() {
        Some(RowVerdict::Failed)
    } else if status.complete > 0 {
        None
    } else if !status.unfinished.is_empty() {
        Some(RowVerdict::Unfinished)
    } else {
        Some(RowVerdict::NotRun)
    }
}

/// Whether a speed-up is visible in two decimals and, if it was tested, significant.
fn is_faster(speed: Change) -> bool {
    speed.estimate >= 1.005 && speed.is_significant() != Some(false)
}
