//! The caveats of the verdict card.

use crate::findings::Findings;
use crate::text::{counted, listed};

/// What a reader must know before relying on the verdict.
pub(super) fn caveats(findings: &Findings) -> Vec<String> {
    let train = &findings.recorded.config.train;
    let seeds = findings.seeds();
    let mut caveats = vec![match findings.seeds_completed() {
        0 | 1 => format!("{seeds}: no significance test, small differences may be noise"),
        2 => format!("{seeds}: only large differences are significant"),
        _ => format!("{seeds} per strategy"),
    }];
    if train.epochs < 3 {
        let epochs = counted(train.epochs as usize, "epoch");
        caveats.push(format!("only {epochs}: errors are preliminary"));
    }
    let rows = || findings.rows.iter().enumerate();
    let overfitted =
        rows().filter(|(_, found)| found.lowest.is_some_and(|lowest| lowest.is_past()));
    let overfitted: Vec<String> = overfitted
        .map(|(row, _)| findings.name(row).into())
        .collect();
    match overfitted.len() {
        0 => {}
        1..=3 => caveats.push(format!("overfitting: {}", listed(&overfitted))),
        count => caveats.push(format!("overfitting: {}", counted(count, "strategy"))),
    }
    for (row, found) in rows() {
        let trouble = found.status.trouble();
        if !trouble.is_empty() {
            caveats.push(format!("{}: {trouble}", findings.name(row)));
        }
    }
    if findings.any_time_is_predicted() {
        caveats.push("times of several workers are predicted, not measured".into());
    }
    let environments = &findings.recorded.environments;
    if environments.iter().any(|one| !one.optimised) {
        caveats.push("built without optimisation: speeds are meaningless".into());
    }
    if environments.len() > 1 {
        caveats.push("resumed with another version or on another machine".into());
    }
    caveats
}
