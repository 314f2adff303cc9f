//! Compares every metric of every strategy between two runs.

use serde::Serialize;

use super::broken_runs::BrokenRuns;
use super::differences::{self, Difference};
use super::metric_comparison::{METRICS, MetricComparison};
use super::task::{self, OtherTask};
use super::verdict::{UnclearReason, Verdict};
use super::{busy, noise, packs, words};
use crate::findings::Findings;
use crate::record::Metric;

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
    pub compared: Vec<MetricComparison>,
    /// Strategies that only the first run has.
    pub only_old: Vec<String>,
    /// Strategies that only the second run has.
    pub only_new: Vec<String>,
    /// The tolerance, as a fraction: the margin within which metrics are the same.
    pub tolerance: f64,
}

impl Comparison {
    /// Compares two runs. Relative changes within ± `tolerance`, a fraction, are ignored.
    ///
    /// # Errors
    /// If the runs have different corpora or objectives.
    pub fn of(old: &Findings, new: &Findings, tolerance: f64) -> Result<Self, OtherTask> {
        task::check_same(&old.recorded, &new.recorded)?;
        let mut compared = Vec::new();
        let mut doubts = Vec::new();
        doubts.extend(packs::doubt(&old.recorded, &new.recorded));
        doubts.extend(words::doubt(&old.recorded, &new.recorded));
        for old_row in 0..old.rows.len() {
            let Some(new_row) = new.row(old.name(old_row)) else {
                continue;
            };
            let sides = [(old, old_row), (new, new_row)];
            let [old_side, new_side] = sides;
            doubts.extend(differences::doubts(old, old_row, new, new_row));
            doubts.extend(noise::doubts(sides));
            let broken_runs = BrokenRuns::of(old_side, new_side);
            doubts.extend(broken_runs.doubt());
            compared.extend(broken_runs.comparison());
            let busy = busy::doubts(old_side, new_side);
            for metric in METRICS {
                let mut found = MetricComparison::of(old_side, new_side, metric, tolerance);
                if let Some(found) = &mut found
                    && metric.0 == Metric::UtterancesPerSecond
                    && !busy.is_empty()
                {
                    found.set_unclear(UnclearReason::BusyMachine);
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
