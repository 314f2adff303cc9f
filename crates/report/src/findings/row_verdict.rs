//! A short verdict on each strategy, and the one to recommend: the fastest whose error and loss are not worse than the baseline's.

use super::{Findings, RowFindings};
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
    /// Faster, with a significantly higher error.
    FasterErrorWorse,
    /// Faster, with a significantly higher loss but no significantly higher error.
    FasterLossWorse,
    /// Faster, with a higher error, but not significantly.
    FasterErrorUnclear,
    /// Faster, with a higher loss, but not significantly, and no higher error.
    FasterLossUnclear,
    /// Faster, but the error cannot be compared.
    FasterErrorUnknown,
    /// Faster, but not significantly.
    SpeedUnclear,
    /// Not faster.
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
            RowVerdict::FasterLossUnclear => "faster, loss unclear",
            RowVerdict::FasterErrorUnknown => "faster, error unknown",
            RowVerdict::SpeedUnclear => "speed unclear",
            RowVerdict::NoFaster => "no faster",
            RowVerdict::Diverged => "diverged",
            RowVerdict::Failed => "failed",
            RowVerdict::Unfinished => "unfinished",
            RowVerdict::NotRun => "not run",
        }
    }

    /// Whether a run diverged or failed, or none has finished. The verdict then says nothing about speed and error.
    pub fn is_broken(self) -> bool {
        use RowVerdict::{Diverged, Failed, NotRun, Unfinished};
        [Diverged, Failed, NotRun, Unfinished].contains(&self)
    }

    /// Whether the strategy is faster with a significantly higher error or loss.
    pub fn is_worse(self) -> bool {
        use RowVerdict::{FasterErrorWorse, FasterLossWorse};
        [FasterErrorWorse, FasterLossWorse].contains(&self)
    }

    /// Whether the strategy is faster with an error or loss that is higher, but not significantly.
    pub fn is_unclear(self) -> bool {
        use RowVerdict::{FasterErrorUnclear, FasterLossUnclear};
        [FasterErrorUnclear, FasterLossUnclear].contains(&self)
    }
}

impl Findings {
    /// The verdict on each row.
    pub fn row_verdicts(&self) -> Vec<RowVerdict> {
        let errors = self.error_changes();
        let rows = self.rows.iter().enumerate();
        let verdict = |(row, found): (usize, &RowFindings)| {
            if self.baseline == Some(row) {
                return RowVerdict::Baseline;
            }
            if let Some(verdict) = broken(found) {
                return verdict;
            }
            match found.speed {
                Some(speed) if is_faster(speed) => {
                    let losses = self.losses(row).map(|(_, change)| change);
                    of_faster(errors[row], losses, self.error_margin())
                }
                Some(speed) if speed.estimate >= VISIBLE_SPEED_UP => RowVerdict::SpeedUnclear,
                _ => RowVerdict::NoFaster,
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

    /// The loss with which a verdict about losses can be explained: its name and its change.
    pub(crate) fn deciding_loss(
        &self,
        row: usize,
        verdict: RowVerdict,
    ) -> Option<(&'static str, Change)> {
        let decides = match verdict {
            RowVerdict::FasterLossWorse => Rise::Significant,
            RowVerdict::FasterLossUnclear => Rise::Unclear,
            _ => return None,
        };
        let mut losses = self.losses(row).into_iter();
        losses.find_map(|(name, change)| Some((name, change.filter(|&c| rise(c) == decides)?)))
    }

    /// The losses that must not be higher than the baseline's. If the baseline overfitted, its final loss is too easy to beat. Its
    /// lowest loss then counts, too.
    fn losses(&self, row: usize) -> [(&'static str, Option<Change>); 2] {
        let found = &self.rows[row];
        let lowest = self.baseline.and_then(|row| self.rows[row].lowest);
        let overfitted = lowest.is_some_and(|lowest| lowest.is_past());
        [
            ("validation loss", found.loss),
            (
                "lowest validation loss",
                found.lowest_loss.filter(|_| overfitted),
            ),
        ]
    }
}

/// The verdict on a faster strategy from the changes of its error and of its losses.
fn of_faster(
    error: Option<Change>,
    losses: [Option<Change>; 2],
    margin: Option<f64>,
) -> RowVerdict {
    let Some(error) = error else {
        return RowVerdict::FasterErrorUnknown;
    };
    // A stated margin says which difference does not matter, so the loss decides nothing below it.
    if margin.is_some_and(|margin| error.is_below(margin)) {
        return RowVerdict::Faster;
    }
    let losses = losses.map(|loss| loss.map_or(Rise::None, rise));
    match rise(error) {
        Rise::Significant => RowVerdict::FasterErrorWorse,
        _ if losses.contains(&Rise::Significant) => RowVerdict::FasterLossWorse,
        Rise::Unclear => RowVerdict::FasterErrorUnclear,
        Rise::None if losses.contains(&Rise::Unclear) => RowVerdict::FasterLossUnclear,
        Rise::None => RowVerdict::Faster,
    }
}

/// How an error or a loss compares with the baseline's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rise {
    /// The mean is not higher.
    None,
    /// The mean is higher, but not significantly, or it was not tested.
    Unclear,
    /// Significantly higher, after correction for the number of strategies.
    Significant,
}

fn rise(change: Change) -> Rise {
    match change.is_significant() {
        _ if change.estimate <= 0.0 => Rise::None,
        Some(true) => Rise::Significant,
        _ => Rise::Unclear,
    }
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

/// The smallest speed-up that is visible in two decimals.
const VISIBLE_SPEED_UP: f64 = 1.005;

/// Whether a speed-up is visible in two decimals and, if it was tested, significant.
fn is_faster(speed: Change) -> bool {
    speed.estimate >= VISIBLE_SPEED_UP && speed.is_significant() != Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Test, Tested};

    fn change(estimate: f64, low: f64, high: f64, p: f64) -> Option<Change> {
        let tested = Some(Tested {
            test: Test::Bootstrap,
            low,
            high,
            p,
            detectable: None,
        });
        Some(Change { estimate, tested })
    }

    fn untested(estimate: f64) -> Option<Change> {
        let tested = None;
        Some(Change { estimate, tested })
    }

    #[test]
    fn an_error_is_worse_only_if_its_corrected_test_says_so() {
        let of = |error| of_faster(error, [None, None], None);
        // Of a strategy that has few of the baseline's seeds, only the p-value is corrected.
        let uncorrected = change(0.5, 0.05, 0.95, 0.30);
        assert_eq!(of(uncorrected), RowVerdict::FasterErrorUnclear);
        let significant = change(0.5, 0.05, 0.95, 0.03);
        assert_eq!(of(significant), RowVerdict::FasterErrorWorse);
        let wide = change(1.0, -0.1, 2.1, 0.07);
        assert_eq!(of(wide), RowVerdict::FasterErrorUnclear);
        assert_eq!(of(untested(1.0)), RowVerdict::FasterErrorUnclear);
        assert_eq!(of(change(-0.1, -1.0, 0.8, 0.8)), RowVerdict::Faster);
        assert_eq!(of(untested(0.0)), RowVerdict::Faster);
        assert_eq!(of(None), RowVerdict::FasterErrorUnknown);
    }

    #[test]
    fn below_the_margin_the_loss_does_not_count() {
        let higher = change(0.2, 0.1, 0.3, 0.001);
        let losses = [change(0.1, 0.05, 0.15, 0.001), None];
        let of = |margin| of_faster(higher, losses, margin);
        assert_eq!(of(Some(0.5)), RowVerdict::Faster);
        assert_eq!(of(Some(0.3)), RowVerdict::FasterErrorWorse);
        assert_eq!(of(None), RowVerdict::FasterErrorWorse);
    }

    #[test]
    fn a_higher_loss_is_not_an_error() {
        let lower = change(-0.2, -0.4, 0.0, 0.05);
        let of = |losses| of_faster(lower, losses, None);
        let higher = change(0.1, 0.05, 0.15, 0.001);
        assert_eq!(of([higher, None]), RowVerdict::FasterLossWorse);
        assert_eq!(of([None, higher]), RowVerdict::FasterLossWorse);
        let unclear = change(0.1, -0.05, 0.25, 0.2);
        assert_eq!(of([unclear, None]), RowVerdict::FasterLossUnclear);
        assert_eq!(of([None, untested(0.1)]), RowVerdict::FasterLossUnclear);
    }
}
