//! Compares every metric of every strategy between two runs.

use serde::Serialize;

use super::differences::{self, Difference};
use super::task::{self, OtherTask};
use super::words;
use super::{busy, packs};
use crate::findings::Findings;
use crate::record::Metric;
use crate::statistics::{Change, ConfidenceInterval, Scale};

/// The compared metrics, and whether higher is better.
const METRICS: [(Metric, bool); 8] = [
    (Metric::UtterancesPerSecond, true),
    (Metric::MemoryGb, false),
    (Metric::ValidationLoss, false),
    (Metric::FrameErrorPercent, false),
    (Metric::SequenceErrorPercent, false),
    (Metric::CharacterErrorPercent, false),
    (Metric::WordErrorPercent, false),
    (Metric::TestWordErrorPercent, false),
];

/// The verdict on a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Better by more than the tolerance, and significantly.
    Better,
    /// Changed by no more than the tolerance.
    Same,
    /// Changed by more than the tolerance, but not significantly across seeds, or with too few seeds to test. Or a machine was busy.
    Unclear,
    /// Worse by more than the tolerance, and significantly.
    Worse,
    /// Measured on one side only.
    Missing,
}

/// The comparison of one metric of one strategy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
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
    /// The verdict.
    pub verdict: Verdict,
}

/// The comparison of two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Differences between the environments.
    pub environment: Vec<Difference>,
    /// Differences between the configs.
    pub config: Vec<Difference>,
    /// Reasons why the runs may not be comparable.
    pub doubts: Vec<String>,
    /// Every metric of every common strategy.
    pub compared: Vec<Compared>,
    /// Strategies that only the first run has.
    pub only_old: Vec<String>,
    /// Strategies that only the second run has.
    pub only_new: Vec<String>,
    /// The tolerance, as a fraction.
    pub tolerance: f64,
}

impl Comparison {
    /// Compares two runs. Relative changes up to `tolerance`, a fraction, are ignored.
    ///
    /// # Errors
    /// If the runs have different corpora or objectives.
    pub fn of(old: &Findings, new: &Findings, tolerance: f64) -> Result<Self, OtherTask> {
        task::check_same(&old.recorded, &new.recorded)?;
        let mut compared = Vec::new();
        let mut doubts = Vec::new();
        doubts.extend(packs::doubt(&old.recorded, &new.recorded));
        for old_row in 0..old.rows.len() {
            let Some(new_row) = new.row(old.name(old_row)) else {
                continue;
            };
            doubts.extend(differences::doubts(old, old_row, new, new_row));
            let busy = busy::doubt((old, old_row), (new, new_row));
            compared.extend(broken_runs(old, old_row, new, new_row));
            for (metric, more_is_better) in METRICS {
                let mut found = compare(
                    (old, old_row),
                    (new, new_row),
                    metric,
                    more_is_better,
                    tolerance,
                );
                if let Some(found) = &mut found
                    && metric == Metric::UtterancesPerSecond
                    && busy.is_some()
                    && found.verdict != Verdict::Missing
                {
                    found.verdict = Verdict::Unclear;
                }
                compared.extend(found);
            }
            doubts.extend(busy);
        }
        let only = |one: &Findings, other: &Findings| {
            let names = (0..one.rows.len()).map(|row| one.name(row).to_owned());
            names.filter(|name| other.row(name).is_none()).collect()
        };
        Ok(Comparison {
            environment: differences::environments(&old.recorded, &new.recorded),
            config: differences::configs(&old.recorded, &new.recorded),
            doubts,
            compared,
            only_old: only(old, new),
            only_new: only(new, old),
            tolerance,
        })
    }

    /// Whether any metric is worse.
    pub fn is_worse(&self) -> bool {
        let mut compared = self.compared.iter();
        compared.any(|compared| compared.verdict == Verdict::Worse)
    }
}

fn compare(
    (old, old_row): (&Findings, usize),
    (new, new_row): (&Findings, usize),
    metric: Metric,
    more_is_better: bool,
    tolerance: f64,
) -> Option<Compared> {
    let (old_values, new_values) = (old.by_seed(old_row, metric), new.by_seed(new_row, metric));
    if old_values.is_empty() && new_values.is_empty() {
        return None;
    }
    let is_machines = matches!(metric, Metric::UtterancesPerSecond | Metric::MemoryGb);
    let resampled = (metric == Metric::TestWordErrorPercent)
        .then(|| words::ratio((old, old_row), (new, new_row)))
        .flatten();
    let ratio = if is_machines {
        Change::independent(&old_values, &new_values, Scale::Ratio)
    } else {
        resampled.or_else(|| Change::between(&old_values, &new_values, Scale::Ratio))
    };
    let strategy = old.name(old_row).to_owned();
    let (old, new) = (old.interval(old_row, metric), new.interval(new_row, metric));
    let verdict = match ratio {
        Some(ratio) => judge(ratio, more_is_better, tolerance),
        None if old.mean == new.mean => Verdict::Same,
        None if old.mean.is_none() || new.mean.is_none() => Verdict::Missing,
        // A change from or to zero, such as an error rate of 0, has no ratio.
        None if (old.mean < new.mean) == more_is_better => Verdict::Better,
        None => Verdict::Worse,
    };
    Some(Compared {
        strategy,
        measure: metric.name(),
        title: metric.definition().title,
        decimals: metric.definition().decimals,
        old,
        new,
        ratio,
        verdict,
    })
}

fn judge(ratio: Change, more_is_better: bool, tolerance: f64) -> Verdict {
    let change = ratio.estimate - 1.0;
    if change.abs() <= tolerance {
        Verdict::Same
    } else if ratio.is_significant() != Some(true) {
        Verdict::Unclear
    } else if (change > 0.0) == more_is_better {
        Verdict::Better
    } else {
        Verdict::Worse
    }
}

/// Compares the number of runs that diverged or failed. More is worse, even if the other metrics are good.
fn broken_runs(old: &Findings, old_row: usize, new: &Findings, new_row: usize) -> Option<Compared> {
    let broken = |findings: &Findings, row: usize| {
        let status = &findings.rows[row].status;
        status.diverged.len() + status.failed.len()
    };
    let (old_count, new_count) = (broken(old, old_row), broken(new, new_row));
    let verdict = match new_count.cmp(&old_count) {
        std::cmp::Ordering::Greater => Verdict::Worse,
        std::cmp::Ordering::Less => Verdict::Better,
        std::cmp::Ordering::Equal => return None,
    };
    let counted = |count: usize| ConfidenceInterval {
        mean: Some(count as f64),
        half_width: None,
    };
    Some(Compared {
        strategy: old.name(old_row).to_owned(),
        measure: "broken_runs",
        title: "diverged or failed runs",
        decimals: 0,
        old: counted(old_count),
        new: counted(new_count),
        ratio: None,
        verdict,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Test, Tested};

    /// A ratio with an interval of ±0.1 and, if given, a p-value.
    fn ratio(estimate: f64, p: Option<f64>) -> Change {
        Change {
            estimate,
            tested: p.map(|p| Tested {
                test: Test::Welch,
                low: estimate - 0.1,
                high: estimate + 0.1,
                p,
                detectable: None,
            }),
        }
    }

    #[test]
    fn worse_means_beyond_the_tolerance_and_significant() {
        let speed = |change| judge(change, true, 0.05);
        assert_eq!(speed(ratio(0.8, Some(0.01))), Verdict::Worse);
        assert_eq!(speed(ratio(0.8, Some(0.3))), Verdict::Unclear);
        assert_eq!(speed(ratio(0.8, None)), Verdict::Unclear);
        assert_eq!(speed(ratio(0.96, Some(0.001))), Verdict::Same);
        assert_eq!(speed(ratio(1.3, Some(0.001))), Verdict::Better);
        assert_eq!(judge(ratio(1.3, Some(0.001)), false, 0.05), Verdict::Worse);
    }
}
