//! Compares which runs diverged or failed.

use std::collections::BTreeSet;

use super::metric_comparison::MetricComparison;
use super::verdict::{UnclearReason, Verdict};
use crate::findings::Findings;
use crate::statistics::ConfidenceInterval;
use crate::text::listed;

/// The runs of a strategy that diverged or failed, by seed.
pub(super) struct BrokenRuns {
    strategy: String,
    old: BTreeSet<u64>,
    new: BTreeSet<u64>,
}

impl BrokenRuns {
    pub(super) fn of(
        (old, old_row): (&Findings, usize),
        (new, new_row): (&Findings, usize),
    ) -> Self {
        let broken = |findings: &Findings, row: usize| {
            let status = &findings.rows[row].status;
            let runs = status.diverged.iter().chain(&status.failed);
            runs.map(|&(seed, _)| seed).collect()
        };
        BrokenRuns {
            strategy: old.name(old_row).to_owned(),
            old: broken(old, old_row),
            new: broken(new, new_row),
        }
    }

    /// Names the seeds whose runs broke in the second record only.
    pub(super) fn doubt(&self) -> Option<String> {
        let seeds: Vec<String> = self.new.difference(&self.old).map(u64::to_string).collect();
        let noun = match seeds.len() {
            0 => return None,
            1 => "seed",
            _ => "seeds",
        };
        let (strategy, seeds) = (&self.strategy, listed(&seeds));
        Some(format!(
            "{strategy} with {noun} {seeds} diverged or failed only in the second run"
        ))
    }

    /// The comparison. A run that broke in the second record only is worse, even if the other metrics are good. A run that broke in
    /// the first record only is unclear, because counts are not tested. None if the same runs broke.
    pub(super) fn comparison(self) -> Option<MetricComparison> {
        if self.old == self.new {
            return None;
        }
        let (verdict, reason) = match self.new.is_subset(&self.old) {
            true => (Verdict::Unclear, Some(UnclearReason::NotTested)),
            false => (Verdict::Worse, None),
        };
        let count = |seeds: &BTreeSet<u64>| ConfidenceInterval {
            mean: Some(seeds.len() as f64),
            half_width: None,
        };
        Some(MetricComparison {
            measure: "broken_runs",
            title: "diverged or failed runs",
            decimals: 0,
            old: count(&self.old),
            new: count(&self.new),
            strategy: self.strategy,
            ratio: None,
            difference: None,
            verdict,
            reason,
        })
    }
}
