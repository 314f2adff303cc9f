//! Compares one metric of one strategy between two runs.

use serde::Serialize;

use super::verdict::{Criterion, UnclearReason, Verdict};
use super::words;
use crate::findings::Findings;
use crate::record::Metric;
use crate::statistics::{Change, ConfidenceInterval, Scale};

/// The metrics that are compared, and whether higher is better.
pub(super) const METRICS: [(Metric, bool); 8] = [
    (Metric::UtterancesPerSecond, true),
    (Metric::MemoryGb, false),
    (Metric::ValidationLoss, false),
    (Metric::FrameErrorPercent, false),
    (Metric::SequenceErrorPercent, false),
    (Metric::CharacterErrorPercent, false),
    (Metric::WordErrorPercent, false),
    (Metric::TestWordErrorPercent, false),
];

/// The comparison of one metric of one strategy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricComparison {
    /// The strategy.
    pub strategy: String,
    /// The metric by its name in CSV; `broken_runs` for the number of runs that diverged or failed.
    pub measure: &'static str,
    /// The metric by its title in tables.
    #[serde(skip)]
    pub title: &'static str,
    /// Decimals in tables.
    #[serde(skip)]
    pub decimals: usize,
    /// In the first run.
    pub old: ConfidenceInterval,
    /// In the second run.
    pub new: ConfidenceInterval,
    /// Second / first.
    pub ratio: Option<Change>,
    /// Second − first, if a value is 0 and the ratio is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Change>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why the verdict is unclear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<UnclearReason>,
}

impl MetricComparison {
    /// Compares a metric of two rows. None if neither side has it.
    pub(super) fn of(
        (old, old_row): (&Findings, usize),
        (new, new_row): (&Findings, usize),
        (metric, more_is_better): (Metric, bool),
        tolerance: f64,
    ) -> Option<Self> {
        let values = Values::of((old, old_row), (new, new_row), metric);
        if values.old.is_empty() && values.new.is_empty() {
            return None;
        }
        let intervals = (old.interval(old_row, metric), new.interval(new_row, metric));
        let comparison = MetricComparison {
            strategy: old.name(old_row).to_owned(),
            measure: metric.name(),
            title: metric.definition().title,
            decimals: metric.definition().decimals,
            old: intervals.0,
            new: intervals.1,
            ratio: None,
            difference: None,
            verdict: Verdict::Missing,
            reason: None,
        };
        if !values.are_comparable() {
            return Some(comparison);
        }
        let change = |scale| values.change((old, old_row), (new, new_row), scale);
        let ratio = change(Scale::Ratio).filter(is_finite);
        let difference = match ratio {
            Some(_) => None,
            None => change(Scale::Difference),
        };
        let judged = match (ratio, difference) {
            (Some(ratio), _) => Some((ratio, 1.0, tolerance)),
            // The tolerance is a fraction of the first value.
            (None, Some(difference)) => {
                let margin = tolerance * intervals.0.mean.unwrap_or(0.0).abs();
                Some((difference, 0.0, margin))
            }
            (None, None) => None,
        };
        let (verdict, reason) = match judged {
            _ if values.are_equal() => (Verdict::Same, None),
            Some((change, unchanged, margin)) => Criterion {
                unchanged,
                margin,
                more_is_better,
            }
            .judge(change),
            None => (Verdict::Unclear, Some(UnclearReason::NotTested)),
        };
        Some(MetricComparison {
            ratio,
            difference,
            verdict,
            reason,
            ..comparison
        })
    }

    /// Sets the verdict to unclear for this reason, unless a value is missing.
    pub(super) fn set_unclear(&mut self, reason: UnclearReason) {
        if self.verdict != Verdict::Missing {
            self.verdict = Verdict::Unclear;
            self.reason = Some(reason);
        }
    }
}

/// The values of a metric in two rows, with their seeds in ascending order.
struct Values {
    metric: Metric,
    old: Vec<(u64, f64)>,
    new: Vec<(u64, f64)>,
    /// Whether both were measured on the same utterances.
    same_utterances: bool,
}

impl Values {
    fn of(
        (old, old_row): (&Findings, usize),
        (new, new_row): (&Findings, usize),
        metric: Metric,
    ) -> Self {
        let sorted = |findings: &Findings, row| {
            let mut values = findings.by_seed(row, metric);
            values.sort_by_key(|&(seed, _)| seed);
            values
        };
        Values {
            metric,
            old: sorted(old, old_row),
            new: sorted(new, new_row),
            same_utterances: metric != Metric::TestWordErrorPercent
                || words::same_utterances(&old.recorded, &new.recorded),
        }
    }

    fn are_comparable(&self) -> bool {
        !self.old.is_empty() && !self.new.is_empty() && self.same_utterances
    }

    /// Whether the values are equal for every seed. Memory does not depend on the seed, so there all values must be equal.
    fn are_equal(&self) -> bool {
        let mut all = self.old.iter().chain(&self.new).map(|&(_, value)| value);
        let first = all.next();
        let is_memory = self.metric == Metric::MemoryGb;
        self.old == self.new || is_memory && all.all(|value| Some(value) == first)
    }

    /// Whether the metric measures the machine, not the model.
    fn is_of_machine(&self) -> bool {
        matches!(self.metric, Metric::UtterancesPerSecond | Metric::MemoryGb)
    }

    /// The change of the metric, with a test if there are enough seeds. None if a ratio is undefined.
    fn change(
        &self,
        old: (&Findings, usize),
        new: (&Findings, usize),
        scale: Scale,
    ) -> Option<Change> {
        match self.metric {
            Metric::TestWordErrorPercent => words::change(old, new, scale),
            _ if self.is_of_machine() => Change::independent(&self.old, &self.new, scale),
            _ => Change::between(&self.old, &self.new, scale),
        }
    }
}

/// Whether a change and its interval are finite. A bootstrap ratio is not, if there are replicates without errors.
fn is_finite(change: &Change) -> bool {
    let ends = change.tested.map(|tested| [tested.low, tested.high]);
    change.estimate.is_finite() && ends.is_none_or(|ends| ends.iter().all(|end| end.is_finite()))
}
