//! Answers about learning beyond the final loss: overfitting and error rates.

use super::answer::Answer;
use super::verdict::{Quantity, difference};
use crate::findings::Findings;

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

/// Error rates of decoded sequences. The papers report error rates, which the loss only approximates.
pub(super) fn errors(findings: &Findings) -> Option<Answer> {
    let baseline = findings.baseline_name()?;
    let measure = findings.sequence_error()?;
    let ranked = findings.ranked(measure.metric);
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
    let mut title = measure.name.to_owned();
    title[..1].make_ascii_uppercase();
    let answer = Answer::new(
        &*title,
        "Which strategy makes the fewest errors?",
        format!(
            "{title} ({}) on the validation set after the last epoch, lowest first. Differences from {baseline} are in percentage points.",
            measure.short
        ),
    );
    (ranked.len() > 1).then(|| answer.with_each(each.collect()))
}
