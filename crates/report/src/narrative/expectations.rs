//! Answers that compare the measured speed with what padding or the paper predict.

use super::answer::Answer;
use super::verdict::in_parentheses;
use crate::findings::Findings;
use crate::text::signed;

/// Whether the speed-up is the one that padded frames predict.
pub(super) fn prediction(findings: &Findings) -> Option<Answer> {
    let deviations: Vec<(f64, usize)> = findings
        .others()
        // A predicted time is not a measured one.
        .filter(|&row| !findings.time_is_predicted(row))
        .filter_map(|row| {
            let found = &findings.rows[row];
            Some((found.speed?.estimate / found.predicted_speed? - 1.0, row))
        })
        .collect();
    let (worst, row) = deviations
        .iter()
        .copied()
        .max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))?;
    let near = deviations
        .iter()
        .filter(|(deviation, _)| deviation.abs() <= 0.1)
        .count();
    let found = &findings.rows[row];
    let (measured, predicted) = (found.speed?.estimate, found.predicted_speed?);
    let name = findings.name(row);
    let deviation = signed(100.0 * worst, 0);
    let figures = format!("{measured:.2}× measured, {predicted:.2}× predicted ({deviation} %)");
    let answer = match (near, deviations.len()) {
        (_, 1) => format!(
            "{name}: {measured:.2}× measured, {predicted:.2}× predicted from padded frames ({deviation} %)."
        ),
        (0, count) => format!(
            "No measured speed-up of {count} strategies is within 10 % of the prediction from padded frames. Largest deviation: {name}, {figures}."
        ),
        (near, count) => {
            let which = match near {
                2 if count == 2 => "For both strategies".to_owned(),
                near if near == count => format!("For all {count} strategies"),
                near => format!("For {near} of {count} strategies"),
            };
            format!(
                "{which}, the measured speed-up is within 10 % of the prediction from padded frames. Largest deviation: {name}, {figures}."
            )
        }
    };
    Some(Answer::new(
        "Measured and predicted speed-up",
        "Does padding explain the speed?",
        answer,
    ))
}

/// Whether the time saved is the one in the paper.
pub(super) fn paper(findings: &Findings) -> Option<Answer> {
    let each: Vec<String> = findings
        .others()
        .filter_map(|row| {
            let paper = findings.papers_time_saved(row)?;
            let change = findings.rows[row].epoch_time?;
            let percent = |share: f64| signed(share, 1).replace('+', "");
            let saved = |ratio: f64| percent(100.0 * (1.0 - ratio));
            let interval = change
                .tested
                .map(|tested| format!("95 % CI {} to {} %", saved(tested.high), saved(tested.low)));
            let (ours, interval) = (saved(change.estimate), in_parentheses([interval]));
            let (name, paper) = (findings.timed_name(row), percent(paper));
            Some(format!(
                "{name}: {ours} % here{interval}, {paper} % in the paper"
            ))
        })
        .collect();
    let baseline = findings.baseline_name()?;
    let answer = Answer::new(
        "Time saved, compared with the paper",
        "Do the strategies save as much time as in the paper?",
        format!(
            "Training time saved per epoch, compared with {baseline}. The paper's number is as published, or computed from its times or speeds."
        ),
    );
    (!each.is_empty()).then(|| answer.with_each(each))
}
