//! Answers about parallel training: which strategy divides its work evenly over workers, and what averaging costs.

use super::accuracy::evidence_or_none;
use super::answer::Answer;
use super::verdict::in_parentheses;
use crate::findings::{Findings, Scaling, ScalingRow, StrategyScaling, over_seeds};
use crate::statistics::{Change, Scale};
use crate::text::{ChangeFormat, counted, p_phrase, rounded, times};

/// Explains predicted times in a sentence.
pub(super) const PREDICTED: &str =
    "Times of several workers are predicted: the slowest worker's time plus averaging.";

/// How each strategy scales over workers.
pub(super) fn workers(findings: &Findings) -> Option<Answer> {
    let scaling = findings.scaling.as_ref()?;
    let mut sentences = vec![balance(scaling)?];
    sentences.extend(averaging(scaling));
    if findings.any_time_is_predicted() {
        sentences.push(PREDICTED.into());
    }
    let each = scaling.strategies.iter().filter_map(speed_ups).collect();
    let answer = Answer::new(
        "Scaling over workers",
        "How well does each strategy scale over workers?",
        sentences.join(" "),
    );
    Some(answer.with_each(each))
}

/// Which strategy loses the least and the most time to its slowest worker, with the most workers that all strategies have.
fn balance(scaling: &Scaling) -> Option<String> {
    let (workers, mut rows) = most_common(scaling)?;
    rows.retain(|(_, row)| !row.slowest_percent.is_empty());
    let mean = |row: &ScalingRow| over_seeds(&row.slowest_percent).mean.unwrap_or(0.0);
    rows.sort_by(|(_, a), (_, b)| mean(a).total_cmp(&mean(b)));
    let with = format!("With {}", counted(workers, "worker"));
    let lost = |row: &ScalingRow| rounded(mean(row), 1) + " %";
    let ((best, low), (worst, high)) = (rows.first()?, rows.last()?);
    let (name, share) = (&best.name, lost(low));
    let details = in_parentheses([interval(low)]);
    if rows.len() == 1 {
        return Some(format!(
            "{with}, {name} loses {share} of the epoch to the slowest worker{details}."
        ));
    }
    let first = format!(
        "{with}, {name} is balanced best: it loses {share} of the epoch to the slowest worker{details}."
    );
    let (name, share) = (&worst.name, lost(high));
    let details = in_parentheses([interval(high), difference(low, high, rows.len())]);
    Some(format!(
        "{first} {name} is balanced worst: it loses {share}{details}."
    ))
}

/// The confidence interval of the time lost to the slowest worker. A share is never below zero.
fn interval(row: &ScalingRow) -> Option<String> {
    let (low, high) = over_seeds(&row.slowest_percent).ends()?;
    let [low, high] = [low.max(0.0), high].map(|end| rounded(end, 1));
    Some(format!("95 % CI {low} to {high} %"))
}

/// How the time lost differs between the best and the worst of some strategies, if it can be tested. The two were chosen by their
/// results, so the p-value is corrected for all pairs (Bonferroni).
fn difference(low: &ScalingRow, high: &ScalingRow, strategies: usize) -> Option<String> {
    let (low, high) = (&low.slowest_percent, &high.slowest_percent);
    let change = Change::between(low, high, Scale::Difference)?;
    let format = ChangeFormat::Difference(1, " points");
    let interval = format.interval_phrase(change)?;
    let pairs = strategies * (strategies - 1) / 2;
    let p = change
        .tested
        .map(|tested| (pairs as f64 * tested.p).min(1.0));
    let change = change.with_p(p);
    let (estimate, p) = (format.estimate(change), p_phrase(change)?);
    let verdict = match change.is_significant()? {
        true => "statistically significant",
        false => "not statistically significant",
    };
    let corrected = match pairs {
        1 => String::new(),
        pairs => format!(" after correction for {pairs} pairs"),
    };
    Some(format!(
        "difference {estimate}, {interval}, {verdict}, {p}{corrected}"
    ))
}

/// The largest number of workers that all strategies have, and their rows. More than one worker, or there is nothing to balance.
fn most_common(scaling: &Scaling) -> Option<(u32, Vec<(&StrategyScaling, &ScalingRow)>)> {
    let counts = scaling.counts().into_iter().rev();
    counts.filter(|&workers| workers > 1).find_map(|workers| {
        let rows: Option<Vec<_>> = scaling
            .strategies
            .iter()
            .map(|strategy| {
                let mut rows = strategy.rows.iter();
                Some((strategy, rows.find(|row| row.workers == workers)?))
            })
            .collect();
        Some((workers, rows?))
    })
}

/// The range of the time of averaging over all strategies with several workers.
fn averaging(scaling: &Scaling) -> Option<String> {
    let rows = scaling.rows().filter(|row| row.workers > 1);
    let means = rows.filter_map(|row| over_seeds(&row.averaging_percent).mean);
    let (low, high) = means.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), mean| {
        (low.min(mean), high.max(mean))
    });
    if low > high {
        return None;
    }
    let [low, high] = [low, high].map(|share| rounded(share, 1));
    Some(match low == high {
        true => format!("Averaging takes {high} % of the epoch."),
        false => format!("Averaging takes {low} to {high} % of the epoch."),
    })
}

/// The speed-ups of a strategy over its smallest number of workers.
fn speed_ups(strategy: &StrategyScaling) -> Option<String> {
    let (first, others) = strategy.rows.split_first()?;
    let each = others.iter().filter_map(|row| {
        let (change, efficiency) = (row.speed_up?, row.efficiency_percent?);
        let predicted = row.time_is_predicted.then(|| "predicted".to_owned());
        let evidence = evidence_or_none(change, ChangeFormat::Ratio);
        let efficiency = format!("efficiency {} %", rounded(efficiency, 0));
        let details = in_parentheses([evidence, Some(efficiency), predicted]);
        let ratio = times(change.estimate);
        Some(format!("{ratio} with {}{details}", row.workers))
    });
    let each: Vec<String> = each.collect();
    let fewest = counted(first.workers, "worker");
    let name = &strategy.name;
    let faster = format!("{name}, compared with {fewest}: {}", each.join(", "));
    (!each.is_empty()).then_some(faster)
}
