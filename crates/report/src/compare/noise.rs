//! Warnings about values that vary so much between seeds that little can be concluded from them.

use super::metric_comparison::METRICS;
use crate::findings::Findings;
use crate::record::Metric;

/// One warning per metric and run whose 95 % confidence interval is wider than its mean, with advice.
pub(super) fn doubts(sides: [(&Findings, usize); 2]) -> Vec<String> {
    let mut doubts = Vec::new();
    for (which, (findings, row)) in ["first", "second"].into_iter().zip(sides) {
        let name = findings.name(row);
        for (metric, _) in METRICS {
            let interval = findings.interval(row, metric);
            let ends = interval.mean.zip(interval.half_width);
            if ends.is_none_or(|(mean, half_width)| 2.0 * half_width <= mean) {
                continue;
            }
            let interval = format!("the confidence interval of {name}'s");
            doubts.push(match metric {
                Metric::UtterancesPerSecond => format!(
                    "{interval} speed in the {which} run is wider than the speed itself: repeat it on an idle machine, with more seeds"
                ),
                _ => format!(
                    "{interval} {} in the {which} run is wider than its mean: train with more seeds",
                    metric.definition().title
                ),
            });
        }
    }
    doubts
}
