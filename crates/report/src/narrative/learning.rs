//! Answers about learning beyond the final loss: overfitting and error rates.

use super::answer::Answer;
use super::verdict::{Quantity, difference};
use crate::findings::Findings;
use crate::statistics::Change;
use crate::text::listed;

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
        let change = findings.rows[*row].lowest_loss;
        let compared = change.map(|change| {
            let repeated = findings.has_repeats();
            format!(", {}", difference(change, repeated, Quantity::Loss, None))
        });
        let (name, compared) = (findings.name(*row), compared.unwrap_or_default());
        format!("{name}: {loss:.3} after epoch {epoch}{since}{compared}")
    });
    let from = findings.baseline_name();
    let from = from.map(|baseline| format!(" Differences are from {baseline}'s."));
    let answer = Answer::new(
        "Overfitting",
        "Which strategies overfit?",
        format!(
            "Lowest validation loss (mean over seeds), lowest first.{} A later rise indicates overfitting. Compare the lowest losses and the error rates rather than the final losses.",
            from.unwrap_or_default()
        ),
    );
    Some(answer.with_each(each.collect()))
}

/// Error rates of decoded sequences. The papers report error rates, which the loss only approximates.
pub(super) fn errors(findings: &Findings) -> Option<Answer> {
    let baseline = findings.baseline_name()?;
    let measure = findings.sequence_error()?;
    let decimals = measure.metric.definition().decimals;
    let ranked = findings.ranked(measure.metric);
    let margin = findings.recorded.config.measure.margin;
    let each = ranked.iter().map(|&(errors, row)| {
        let change = findings.rows[row].errors;
        let compared = match findings.baseline == Some(row) {
            true => Some(" (baseline)".to_owned()),
            false => change.map(|change| {
                let repeated = findings.has_repeats();
                let compared = difference(change, repeated, Quantity::ErrorRate(decimals), None);
                let within = margin.map(|margin| within_margin(change, margin));
                format!(", {compared}{}", within.unwrap_or_default())
            }),
        };
        let name = findings.name(row);
        let compared = compared.unwrap_or_default();
        format!("{name}: {errors:.decimals$} %{compared}")
    });
    let mut title = measure.name.to_owned();
    title[..1].make_ascii_uppercase();
    let mut sentence = format!(
        "{title} ({}) on {}, lowest first. Differences from {baseline} are in percentage points.",
        measure.short, measure.measured_on
    );
    if let Some(margin) = margin {
        sentence += &format!(" The margin of equivalence is ±{margin} points.");
    }
    if measure.is_on_test_set() {
        sentence +=
            " A difference of the detectable size is found at least four times out of five.";
        sentence += &format!(" {}", significantly_worse(findings, baseline));
    }
    let question = "Which strategy makes the fewest errors?";
    let answer = Answer::new(&*title, question, sentence);
    (ranked.len() > 1).then(|| answer.with_each(each.collect()))
}

/// What a margin says about a difference in error rate: equivalent, or at least not higher by more than the margin.
pub(super) fn within_margin(change: Change, margin: f64) -> String {
    match (change.is_equivalent(margin), change.is_below(margin)) {
        (true, _) => format!("; equivalent within ±{margin} points"),
        (false, true) if !change.is_below(0.0) => format!("; at most {margin} points higher"),
        (false, _) => String::new(),
    }
}

/// The strategies with a significantly higher error rate than the baseline.
fn significantly_worse(findings: &Findings, baseline: &str) -> String {
    let is_worse = |&row: &usize| {
        let change = findings.rows[row].errors;
        change.is_some_and(|change| change.estimate > 0.0 && change.is_significant() == Some(true))
    };
    let names = findings.others().filter(is_worse);
    let names: Vec<String> = names.map(|row| findings.name(row).to_owned()).collect();
    let worse = match names.is_empty() {
        true => format!("No strategy's is significantly higher than {baseline}'s."),
        false => format!(
            "Significantly higher than {baseline}'s: {}.",
            listed(&names)
        ),
    };
    match findings.has_repeats() {
        true => worse,
        false => format!("{worse} With one seed, the test covers the choice of utterances only."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Test, Tested};

    #[test]
    fn a_margin_is_mentioned_if_the_interval_ends_below_it() {
        let said = |low, high| {
            let tested = Some(Tested {
                test: Test::Bootstrap,
                low,
                high,
                p: 0.5,
                detectable: None,
            });
            let estimate = (low + high) / 2.0;
            within_margin(Change { estimate, tested }, 0.5)
        };
        assert_eq!(said(-0.4, 0.3), "; equivalent within ±0.5 points");
        assert_eq!(said(-0.7, 0.3), "; at most 0.5 points higher");
        assert_eq!(said(-0.1, 0.6), "");
        // Significantly lower: that it is not much higher goes without saying.
        assert_eq!(said(-0.9, -0.1), "");
    }
}
