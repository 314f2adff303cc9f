//! Which strategy reaches a validation loss first.

use super::accuracy::evidence_or_none;
use super::answer::Answer;
use super::verdict::in_parentheses;
use crate::findings::Findings;
use crate::record::Metric;
use crate::text::{ChangeFormat, counted, times};

/// The strategies whose runs all reached the target loss, fastest first, and the others with the number of runs that did.
pub(super) fn time_to_loss(findings: &Findings) -> Option<Answer> {
    let target = findings.summary.target_loss?;
    let heading = format!("Time to a validation loss of {target:.3}");
    let question = format!("Which strategy reaches a validation loss of {target:.3} first?");
    let mut ranked = findings.ranked(Metric::SecondsToLoss);
    let (mut partly, mut first): (Vec<usize>, Vec<(f64, usize)>) = (Vec::new(), Vec::new());
    for (seconds, row) in ranked.drain(..) {
        match findings.reached_target(row).by_all() {
            true => first.push((seconds, row)),
            false => partly.push(row),
        }
    }
    let mut answer = match first.first() {
        None if partly.is_empty() => return None,
        None => "No strategy reached it with every seed.".to_owned(),
        Some(&(seconds, best)) => {
            let name = findings.timed_name(best);
            let mut answer = format!("First: {name}, after {seconds:.1} s of training.");
            let baseline = findings.baseline.filter(|&row| row != best);
            let mut others = first.iter();
            let baseline = others.find(|(_, row)| Some(*row) == baseline);
            answer += &baseline.map_or_else(String::new, |&(seconds, row)| {
                against(findings, best, row, seconds)
            });
            answer
        }
    };
    if !partly.is_empty() {
        answer += " Not ranked, because only some seeds reached it:";
        let each = partly.iter().map(|&row| {
            let reached = findings.reached_target(row);
            let seeds = counted(reached.ended, "seed");
            format!(
                " {} ({} of {seeds})",
                findings.timed_name(row),
                reached.reached
            )
        });
        answer += &each.collect::<Vec<_>>().join(",");
        answer += ".";
    }
    Some(Answer::new(heading, question, answer))
}

/// The time of the baseline, and how the first strategy compares with it.
fn against(findings: &Findings, best: usize, baseline: usize, seconds: f64) -> String {
    let name = findings.timed_name(baseline);
    let change = findings.rows[best].time_to_loss;
    let compared = change.map(|change| {
        let ratio = Some(times(change.estimate) + " the time");
        let seeds = findings.by_seed(best, Metric::SecondsToLoss).len();
        let seeds = Some(counted(seeds as u64, "seed"));
        in_parentheses([ratio, evidence_or_none(change, ChangeFormat::Ratio), seeds])
    });
    let compared = compared.unwrap_or_default();
    match change.and_then(|change| change.is_significant()) {
        Some(false) => {
            format!(" Baseline: {name}, after {seconds:.1} s; no significant difference{compared}.")
        }
        _ => format!(" Baseline: {name}, after {seconds:.1} s{compared}."),
    }
}
