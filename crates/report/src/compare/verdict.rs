//! The verdict on a change, and why it may be unclear.

use serde::Serialize;

use crate::statistics::Change;

/// The verdict on a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Better by more than the tolerance, and significantly.
    Better,
    /// The confidence interval of the change is within the tolerance, or all values are equal.
    Same,
    /// None of the others; [`UnclearReason`] says why.
    Unclear,
    /// Worse by more than the tolerance, and significantly. Or a run diverged or failed in the second record only.
    Worse,
    /// Measured on one side only, or on different test utterances.
    Missing,
}

/// Why a verdict is unclear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnclearReason {
    /// There are fewer than two seeds to test.
    TooFewSeeds,
    /// The confidence interval is too wide for a verdict.
    WideInterval,
    /// A machine looks busy.
    BusyMachine,
    /// A count that is not tested.
    NotTested,
}

/// What counts as a better change, and as no change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Criterion {
    /// The change between equal values: 1 for ratios, 0 for differences.
    pub unchanged: f64,
    /// The largest deviation from it that is ignored.
    pub margin: f64,
    /// Whether higher is better.
    pub more_is_better: bool,
}

impl Criterion {
    /// Judges a change. Equivalence is tested by two one-sided tests (TOST) with the tolerance as the margin: the whole confidence
    /// interval must be within it.
    pub(super) fn judge(self, change: Change) -> (Verdict, Option<UnclearReason>) {
        let Some(tested) = change.tested else {
            return (Verdict::Unclear, Some(UnclearReason::TooFewSeeds));
        };
        let from_unchanged = |value: f64| value - self.unchanged;
        let is_within = |value: f64| from_unchanged(value).abs() <= self.margin;
        let shift = from_unchanged(change.estimate);
        if is_within(tested.low) && is_within(tested.high) {
            (Verdict::Same, None)
        } else if is_within(change.estimate) || change.is_significant() != Some(true) {
            (Verdict::Unclear, Some(UnclearReason::WideInterval))
        } else if (shift > 0.0) == self.more_is_better {
            (Verdict::Better, None)
        } else {
            (Verdict::Worse, None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Test, Tested};

    /// A ratio with an interval of ± `half_width` and, if given, a p-value.
    fn ratio(estimate: f64, half_width: f64, p: Option<f64>) -> Change {
        Change {
            estimate,
            tested: p.map(|p| Tested {
                test: Test::Welch,
                low: estimate - half_width,
                high: estimate + half_width,
                p,
                detectable: None,
            }),
        }
    }

    fn judge(change: Change, more_is_better: bool) -> (Verdict, Option<UnclearReason>) {
        let criterion = Criterion {
            unchanged: 1.0,
            margin: 0.05,
            more_is_better,
        };
        criterion.judge(change)
    }

    #[test]
    fn worse_means_beyond_the_tolerance_and_significant() {
        use UnclearReason::{TooFewSeeds, WideInterval};
        for (change, speed, error) in [
            (ratio(0.8, 0.1, Some(0.01)), Verdict::Worse, Verdict::Better),
            (ratio(1.3, 0.1, Some(0.01)), Verdict::Better, Verdict::Worse),
            (ratio(0.99, 0.03, Some(0.001)), Verdict::Same, Verdict::Same),
        ] {
            assert_eq!(judge(change, true), (speed, None));
            assert_eq!(judge(change, false), (error, None));
        }
        for (change, reason) in [
            (ratio(0.8, 0.3, Some(0.3)), WideInterval),
            (ratio(0.8, 0.0, None), TooFewSeeds),
            (ratio(1.04, 0.6, Some(0.9)), WideInterval),
            // Significant, but perhaps within the tolerance, perhaps beyond it.
            (ratio(1.04, 0.03, Some(0.01)), WideInterval),
        ] {
            assert_eq!(judge(change, true), (Verdict::Unclear, Some(reason)));
        }
    }
}
