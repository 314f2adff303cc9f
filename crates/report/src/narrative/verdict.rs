//! One strategy against the baseline, in one sentence.

use crate::findings::Findings;
use crate::record::Metric;
use crate::statistics::Change;
use crate::text::{p_phrase, signed};

/// How a strategy compares with the baseline: its speed, then its loss. The baseline itself is told by its numbers.
pub fn verdict(findings: &Findings, row: usize) -> String {
    let found = &findings.rows[row];
    let Some(baseline) = findings.baseline_name() else {
        return String::new();
    };
    let speed = findings.mean(row, Metric::UtterancesPerSecond);
    let loss = findings.mean(row, Metric::ValidationLoss);
    let trouble = found.status.trouble();
    let mut said = if findings.baseline == Some(row) {
        let speed = speed.map(|speed| format!("{speed:.1} utterances a second"));
        let loss = loss.map(|loss| format!("a loss of {loss:.3}"));
        let said: Vec<String> = speed.into_iter().chain(loss).collect();
        match said.is_empty() {
            true => String::new(),
            false => format!("{}; what the others are held against", said.join(", ")),
        }
    } else {
        let mut parts = Vec::new();
        parts.extend(found.speed.map(|change| speed_phrase(change, baseline)));
        let repeated = findings.has_repeats();
        parts.extend(found.loss.map(|change| loss_phrase(change, repeated)));
        parts.join(" ")
    };
    if !trouble.is_empty() {
        said = if said.is_empty() {
            trouble
        } else {
            format!("{said} ({trouble})")
        };
    }
    if said.is_empty() {
        said = "nothing was measured".into();
    }
    format!("{}: {said}", findings.name(row))
}

fn speed_phrase(change: Change, baseline: &str) -> String {
    let ratio = change.estimate;
    let evidence = evidence(change, |value| format!("{value:.2}"));
    match change.is_significant() {
        Some(false) => format!(
            "in speed not to be told from {baseline} ({ratio:.2}×{})",
            evidence.map(|said| format!(", {said}")).unwrap_or_default()
        ),
        _ => {
            let said = evidence.map(|said| format!(" ({said})"));
            let said = said.unwrap_or_default();
            if is_as_fast(ratio) {
                format!("as fast as {baseline}{said}")
            } else if ratio > 1.0 {
                format!("{ratio:.2}× faster than {baseline}{said}")
            } else {
                format!("slower than {baseline}, at {ratio:.2}× its speed{said}")
            }
        }
    }
}

/// Whether a speed differs by less than is shown of it, however sure seeds are that it does.
pub(super) fn is_as_fast(ratio: f64) -> bool {
    (ratio - 1.0).abs() < 0.005
}

fn loss_phrase(change: Change, repeated: bool) -> String {
    let said = difference(change, repeated, ["higher", "lower"], 3);
    format!("at a loss {said}")
}

/// How a number differs from the baseline's, with the words for more and for less.
pub(super) fn difference(
    change: Change,
    repeated: bool,
    [more, less]: [&str; 2],
    decimals: usize,
) -> String {
    let difference = change.estimate;
    let evidence = evidence(change, |value| signed(value, decimals));
    let way = if difference > 0.0 { more } else { less };
    match change.is_significant() {
        Some(false) => {
            // Among many strategies one will seem different by chance; but it may also be, and "no different" would promise too much.
            let beyond_zero = change
                .tested
                .is_some_and(|tested| tested.low > 0.0 || tested.high < 0.0);
            let said = match beyond_zero {
                false => "no different from it".to_owned(),
                true => format!("perhaps {way}"),
            };
            format!(
                "{said} ({}{})",
                signed(difference, decimals),
                evidence.map(|said| format!(", {said}")).unwrap_or_default()
            )
        }
        _ => {
            let untested = repeated.then(|| "too few runs to test".to_owned());
            let said = evidence.or(untested).map(|said| format!(" ({said})"));
            format!(
                "{way} by {:.decimals$}{}",
                difference.abs(),
                said.unwrap_or_default()
            )
        }
    }
}

/// The interval and the p, where something was tested.
fn evidence(change: Change, number: impl Fn(f64) -> String) -> Option<String> {
    let tested = change.tested?;
    Some(format!(
        "95 % {} to {}, {}",
        number(tested.low),
        number(tested.high),
        p_phrase(change)?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Test, Tested};

    #[test]
    fn what_rounds_to_once_is_not_called_faster() {
        let said = |estimate| {
            let tested = None;
            speed_phrase(Change { estimate, tested }, "random")
        };
        assert_eq!(said(1.004), "as fast as random");
        assert_eq!(said(0.996), "as fast as random");
        assert_eq!(said(1.01), "1.01× faster than random");
        assert_eq!(said(0.99), "slower than random, at 0.99× its speed");
    }

    #[test]
    fn an_interval_on_one_side_is_not_called_no_difference() {
        let said = |low, high, p| {
            let tested = Some(Tested {
                test: Test::Paired,
                low,
                high,
                p,
            });
            let estimate = (low + high) / 2.0;
            loss_phrase(Change { estimate, tested }, true)
        };
        assert!(said(0.01, 0.05, 0.01).contains("higher by 0.030"));
        assert!(said(0.01, 0.05, 0.11).contains("perhaps higher (+0.030"));
        assert!(said(-0.05, -0.01, 0.11).contains("perhaps lower"));
        assert!(said(-0.01, 0.05, 0.30).contains("no different"));
    }
}
