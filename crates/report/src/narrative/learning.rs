//! Answers about learning beyond the final loss: overfitting and error rates.

use super::answer::Answer;
use super::verdict::{Quantity, difference};
use crate::findings::Findings;
use crate::record::Metric;

/// Which strategies overfit. Their final losses understate what they learned.
pub(super) fn overfitting(findings: &Findings) -> Option<Answer> {
    if !findings.any_overfitted() {
        return None;
    }
    let mut lowest: Vec<_> = (0..findings.rows.len())
        .filter_map(|row| Some((findings.rows[row].lowest?, row)))
        .collect();
    lowest.sort_by(|a, b| a.0.loss.total_cmp(&b.0.loss));
    let each = lowest.iter().map(|(lowest, row)| {
        let since = match lowest.is_past() {
            true => format!(", {:.3} after the last epoch", lowest.last),
            false => String::new(),
        };
        let (loss, epoch) = (lowest.loss, lowest.epoch);
        format!(
            "{}: {loss:.3} after epoch {epoch}{since}",
            findings.name(*row)
        )
    });
    let answer = Answer::new(
        "Overfitting",
        "Which strategies overfit?",
        "Lowest validation loss (mean over seeds), lowest first. A later rise indicates overfitting. Compare the lowest losses and the error rates rather than the final losses.",
    );
    Some(answer.with_each(each.collect()))
}

/// Phone error rates. The papers report error rates, which the loss only approximates.
pub(super) fn errors(findings: &Findings) -> Option<Answer> {
    let baseline = findings.baseline_name()?;
    let ranked = findings.ranked(Metric::SequenceErrorPercent);
    let each = ranked.iter().map(|&(errors, row)| {
        let change = findings.rows[row].errors;
        let compared = match findings.baseline == Some(row) {
            true => Some(" (baseline)".to_owned()),
            false => change.map(|change| {
                let repeated = findings.has_repeats();
                let compared = difference(change, repeated, Quantity::ErrorRate, None);
                format!(", {compared}")
            }),
        };
        let name = findings.name(row);
        format!("{name}: {errors:.1} %{}", compared.unwrap_or_default())
    });
    let answer = Answer::new(
        "Phone error rate",
        "Which strategy makes the fewest errors?",
        format!(
            "Phone error rate (PER) on the validation set after the last epoch, lowest first. Differences from {baseline} are in percentage points."
        ),
    );
    (ranked.len() > 1).then(|| answer.with_each(each.collect()))
}
