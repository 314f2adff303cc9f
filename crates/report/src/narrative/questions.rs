//! The questions that an experiment answers, each with its answer.

use super::accuracy::evidence_or_none;
use super::answer::Answer;
use super::expectations::{paper, prediction};
use super::learning;
use super::recommendation::Recommendation;
use super::time_to_loss::time_to_loss;
use super::verdict::{in_parentheses, verdict};
use super::workers::workers;
use crate::findings::Findings;
use crate::record::Metric;
use crate::statistics::{Change, Test};
use crate::text::{ChangeFormat, counted, memory as memory_phrase, throughput, times};

/// Every question that the record can answer, with its answer.
pub fn answers(findings: &Findings) -> Vec<Answer> {
    if findings
        .recorded
        .epochs
        .iter()
        .all(|row| !row.is_complete())
    {
        return vec![Answer::new(
            "Results",
            "What was found?",
            "No results yet: no epoch has finished.",
        )];
    }
    [
        recommendation(findings),
        speed_and_loss(findings),
        learning::overfitting(findings),
        learning::errors(findings),
        trade_offs(findings),
        time_to_loss(findings),
        memory(findings),
        prediction(findings),
        workers(findings),
        paper(findings),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The question most readers come with: the fastest strategy that does not cost accuracy.
fn recommendation(findings: &Findings) -> Option<Answer> {
    findings.baseline?;
    findings.others().next()?;
    let recommendation = Recommendation::of(findings, &findings.row_verdicts());
    let mut answer = recommendation.sentence(findings);
    let is_new = recommendation.row != findings.baseline;
    if is_new && !findings.has_repeats() {
        answer += " With one seed, this may be noise.";
    }
    if is_new && findings.any_overfitted() {
        answer += " Some strategies overfit, so compare their lowest losses too (see Overfitting).";
    }
    Some(Answer::new(
        "Recommendation",
        "Which strategy should you use?",
        answer,
    ))
}

fn speed_and_loss(findings: &Findings) -> Option<Answer> {
    let baseline = findings.baseline_name()?;
    if findings.others().next().is_none() {
        return Some(Answer::new(
            "Speed and loss",
            "How fast is it, and how low is its loss?",
            verdict(findings, 0) + ".",
        ));
    }
    let mut rows: Vec<usize> = (0..findings.rows.len()).collect();
    let speed = |row: usize| findings.mean(row, Metric::UtterancesPerSecond);
    rows.sort_by(|&a, &b| {
        speed(b)
            .partial_cmp(&speed(a))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let train = &findings.recorded.config.train;
    let mut answer = match findings.has_repeats() {
        true => format!(
            "Fastest first. Dunnett's test over {}: p-values and confidence intervals (CI) hold for all strategies together. A difference of the detectable size is found four times out of five.{}",
            findings.seeds(),
            without_common_seeds(findings)
        ),
        false => "Fastest first. One seed only: no significance test is possible, and small differences may be noise.".to_owned(),
    };
    if train.epochs < 3 {
        let (epochs, were) = match train.epochs {
            1 => ("1 epoch".to_owned(), "was"),
            count => (counted(count, "epoch"), "were"),
        };
        answer += &format!(" Only {epochs} {were} trained, so the losses are preliminary.");
    }
    let each = rows.iter().map(|&row| verdict(findings, row));
    let answer = Answer::new(
        format!("Speed and loss compared with {baseline}"),
        format!("How does each strategy compare with {baseline}?"),
        answer,
    );
    Some(answer.with_each(each.collect()))
}

/// Names the test of strategies that are not part of the block design.
fn without_common_seeds(findings: &Findings) -> &'static str {
    let is_welch = |change: Option<Change>| {
        let tested = change.and_then(|change| change.tested);
        tested.is_some_and(|tested| tested.test == Test::Welch)
    };
    let mut rows = findings.rows.iter();
    match rows.any(|row| is_welch(row.speed) || is_welch(row.loss)) {
        true => " Strategies that share no seed with the baseline are compared by Welch's t-test.",
        false => "",
    }
}

const ON_MEANS: &str = "Based on means, so differences may not be significant.";

fn trade_offs(findings: &Findings) -> Option<Answer> {
    let measured = (0..findings.rows.len()).filter(|&row| findings.point(row).is_some());
    if measured.count() < 2 {
        return None;
    }
    let mut front: Vec<(f64, f64, usize)> = (0..findings.rows.len())
        .filter(|&row| findings.rows[row].on_front)
        .filter_map(|row| findings.point(row).map(|(speed, loss)| (speed, loss, row)))
        .collect();
    front.sort_by(|a, b| b.0.total_cmp(&a.0));
    let losses = match findings.any_overfitted() {
        true => "final loss",
        false => "loss",
    };
    let (heading, question) = (
        "Trade-off between speed and loss",
        "Which strategies offer the best trade-off between speed and loss?",
    );
    if let [(speed, loss, row)] = front.as_slice() {
        let (name, speed) = (findings.timed_name(*row), throughput(*speed));
        let answer = format!(
            "{name} is the fastest and has the lowest {losses} ({speed} utt/s, loss {loss:.3}). {ON_MEANS}"
        );
        return Some(Answer::new(heading, question, answer));
    }
    let answer = format!(
        "Strategies that no other beats on both speed and {losses} (the Pareto front), fastest first. {ON_MEANS}"
    );
    let each = front.iter().map(|&(speed, loss, row)| {
        let (name, speed) = (findings.timed_name(row), throughput(speed));
        format!("{name}: {speed} utt/s, loss {loss:.3}")
    });
    Some(Answer::new(heading, question, answer).with_each(each.collect()))
}

fn memory(findings: &Findings) -> Option<Answer> {
    let rows = findings.ranked(Metric::MemoryGb);
    let (least, most) = (rows.first()?, rows.last()?);
    let named = |&(gb, row): &(f64, usize)| {
        let compared = findings.rows[row].memory.map(|change| {
            let than = findings.baseline_name().unwrap_or("the baseline");
            let ratio = format!("{} {than}'s", times(change.estimate));
            in_parentheses([Some(ratio), evidence_or_none(change, ChangeFormat::Ratio)])
        });
        let compared = compared.unwrap_or_default();
        format!("{}, {}{compared}", findings.name(row), memory_phrase(gb))
    };
    let answer = if memory_phrase(least.0) == memory_phrase(most.0) {
        match rows.as_slice() {
            [only] => format!("{}: {}.", findings.name(only.1), memory_phrase(only.0)),
            _ => format!("All strategies use {}.", memory_phrase(least.0)),
        }
    } else {
        let mut answer = format!("Least: {}. Most: {}.", named(least), named(most));
        let is_between = |row| Some(row) == findings.baseline && row != least.1 && row != most.1;
        if let Some(baseline) = rows.iter().find(|&&(_, row)| is_between(row)) {
            answer += &format!(" Baseline: {}.", named(baseline));
        }
        answer
    };
    Some(Answer::new(
        "Memory",
        "How much memory does each strategy need?",
        answer,
    ))
}
