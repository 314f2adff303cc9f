//! What was learned, beyond the loss after the last epoch: losses that were lower before it, and errors.

use super::answer::Answer;
use super::verdict::difference;
use crate::findings::Findings;
use crate::record::Metric;

/// Losses that rose before the end are no measure of what was learned.
pub(super) fn past_their_best(findings: &Findings) -> Option<Answer> {
    if !findings.any_past_its_best() {
        return None;
    }
    let mut lowest: Vec<_> = (0..findings.rows.len())
        .filter_map(|row| Some((findings.rows[row].lowest?, row)))
        .collect();
    lowest.sort_by(|a, b| a.0.loss.total_cmp(&b.0.loss));
    let each = lowest.iter().map(|(lowest, row)| {
        let since = match lowest.is_past() {
            true => format!("; {:.3} after the last", lowest.last),
            false => String::new(),
        };
        let (loss, epoch) = (lowest.loss, lowest.epoch);
        format!(
            "{}: {loss:.3} after epoch {epoch}{since}",
            findings.name(*row)
        )
    });
    let answer = Answer::new(
        "Which losses rose before the end?",
        "The lowest of the mean over seeds, lowest first. A loss that has risen since says how well the training data are known by heart, too: compare the lowest, and the errors, which may fall on.",
    );
    Some(answer.with_each(each.collect()))
}

/// The papers' tables are about errors; the loss is only near to them.
pub(super) fn errors(findings: &Findings) -> Option<Answer> {
    let baseline = findings.baseline_name()?;
    let ranked = findings.ranked(Metric::SequenceErrorPercent);
    let each = ranked.iter().map(|&(errors, row)| {
        let change = findings.rows[row].errors;
        let said = change
            .map(|change| difference(change, findings.has_repeats(), ["more", "fewer"], 1))
            .map(|said| format!(", {said}"));
        let name = findings.name(row);
        format!("{name}: {errors:.1} %{}", said.unwrap_or_default())
    });
    let answer = Answer::new(
        "How many errors does each make?",
        format!(
            "Of phones in the validation set after the last epoch, fewest first; differences are to {baseline}, in points."
        ),
    );
    (ranked.len() > 1).then(|| answer.with_each(each.collect()))
}
