//! The questions that an experiment answers, each with its answer.

use super::answer::Answer;
use super::expectations::{paper, prediction};
use super::learning;
use super::recommendation::Recommendation;
use super::verdict::verdict;
use super::workers::workers;
use crate::findings::Findings;
use crate::record::Metric;
use crate::text::{counted, memory as memory_phrase, p_phrase, throughput};

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
            "Fastest first. Dunnett's test over {}: p-values and confidence intervals (CI) hold for all strategies together. A difference of the detectable size is found four times out of five.",
            findings.seeds()
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
            "{name} is the fastest and has the lowest {losses} ({speed} utt/s, loss {loss:.3})."
        );
        return Some(Answer::new(heading, question, answer));
    }
    let answer = format!(
        "Strategies that no other beats on both speed and {losses} (the Pareto front), fastest first. Based on means, so differences may not be significant."
    );
    let each = front.iter().map(|&(speed, loss, row)| {
        let (name, speed) = (findings.timed_name(row), throughput(speed));
        format!("{name}: {speed} utt/s, loss {loss:.3}")
    });
    Some(Answer::new(heading, question, answer).with_each(each.collect()))
}

fn time_to_loss(findings: &Findings) -> Option<Answer> {
    let target = findings.summary.target_loss?;
    let (seconds, best) = *findings.ranked(Metric::SecondsToLoss).first()?;
    let mut answer = format!(
        "First: {}, after {seconds:.1} s of training.",
        findings.timed_name(best)
    );
    let baseline = findings.baseline.filter(|&row| row != best);
    let time = |row: usize| findings.mean(row, Metric::SecondsToLoss);
    if let Some((row, seconds)) = baseline.and_then(|row| Some((row, time(row)?))) {
        let change = findings.rows[best].time_to_loss;
        let significant = change.and_then(|change| change.is_significant());
        let p = change.and_then(p_phrase);
        let evidence = significant.zip(p).map(|(significant, p)| {
            let verdict = match significant {
                true => "statistically significant",
                false => "not statistically significant",
            };
            let seeds = findings.by_seed(best, Metric::SecondsToLoss).len();
            let seeds = counted(seeds as u64, "seed");
            format!(" (difference {verdict}, {p}, {seeds})")
        });
        let (name, evidence) = (findings.timed_name(row), evidence.unwrap_or_default());
        answer += &format!(" Baseline: {name}, after {seconds:.1} s{evidence}.");
    }
    Some(Answer::new(
        format!("Time to a validation loss of {target:.3}"),
        format!("Which strategy reaches a validation loss of {target:.3} first?"),
        answer,
    ))
}

fn memory(findings: &Findings) -> Option<Answer> {
    let rows = findings.ranked(Metric::MemoryGb);
    let (least, most) = (rows.first()?, rows.last()?);
    let named =
        |&(gb, row): &(f64, usize)| format!("{}, {}", findings.name(row), memory_phrase(gb));
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
