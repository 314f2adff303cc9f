//! One strategy compared with the baseline, in one sentence.

use crate::findings::Findings;
use crate::record::Metric;
use crate::statistics::Change;
use crate::text::{ChangeFormat, rounded, throughput, times};

/// Compares a strategy with the baseline: its speed, then its loss. For the baseline itself, its own numbers.
pub fn verdict(findings: &Findings, row: usize) -> String {
    let found = &findings.rows[row];
    let (Some(baseline), Some(baseline_row)) = (findings.baseline_name(), findings.baseline) else {
        return String::new();
    };
    let speed = |row| findings.mean(row, Metric::UtterancesPerSecond);
    let loss = |row| findings.mean(row, Metric::ValidationLoss);
    let mut parts = Vec::new();
    if row == baseline_row {
        let predicted = match findings.time_is_predicted(row) {
            true => " (predicted time)",
            false => "",
        };
        let speed = speed(row).map(|speed| format!("{} utt/s{predicted}", throughput(speed)));
        let loss = loss(row).map(|loss| format!("loss {loss:.3}"));
        let own: Vec<String> = speed.into_iter().chain(loss).collect();
        if !own.is_empty() {
            let is_compared = findings.others().next().is_some();
            let role = if is_compared { " (baseline)" } else { "" };
            parts.push(format!("{}{role}", own.join(", ")));
        }
    } else {
        let pair = |of: &dyn Fn(usize) -> Option<f64>| of(row).zip(of(baseline_row));
        let repeated = findings.has_repeats();
        parts.extend(found.speed.map(|change| {
            let speeds = pair(&speed);
            let predicted = findings.time_is_predicted(row);
            speed_phrase(change, baseline, speeds, predicted, repeated)
        }));
        parts.extend(
            found
                .loss
                .map(|change| difference(change, repeated, Quantity::Loss, pair(&loss))),
        );
    }
    let trouble = found.status.trouble();
    if !trouble.is_empty() {
        parts.push(trouble);
    }
    if parts.is_empty() {
        parts.push("not measured".into());
    }
    format!("{}: {}", findings.name(row), parts.join("; "))
}

/// Words in parentheses, if there are any.
pub(super) fn in_parentheses(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!(" ({})", parts.join(", ")),
    }
}

fn speed_phrase(
    change: Change,
    baseline: &str,
    speeds: Option<(f64, f64)>,
    is_predicted: bool,
    repeated: bool,
) -> String {
    let ratio = change.estimate;
    let predicted = is_predicted.then(|| "predicted time".to_owned());
    let speeds =
        speeds.map(|(own, other)| format!("{} vs {} utt/s", throughput(own), throughput(other)));
    let evidence = ChangeFormat::Ratio.evidence(change);
    if change.is_significant() == Some(false) {
        let detectable = ChangeFormat::Ratio.detectable(change);
        let details = in_parentheses([predicted, speeds, Some(times(ratio)), evidence, detectable]);
        return format!("no significant difference in speed from {baseline}{details}");
    }
    let evidence = evidence.or(untested(change, repeated));
    let details = in_parentheses([predicted, speeds, evidence]);
    if is_hardly_different(ratio) {
        format!("mean speed within 0.5 % of {baseline}'s{details}")
    } else if ratio > 1.0 {
        format!("{} faster than {baseline}{details}", times(ratio))
    } else {
        let percent = rounded(100.0 * (1.0 - ratio), 0);
        format!("{percent} % slower than {baseline}{details}")
    }
}

/// Whether a speed-up rounds to 1.00×. Such a difference may be significant, but nobody would notice it.
fn is_hardly_different(ratio: f64) -> bool {
    (ratio - 1.0).abs() < 0.005
}

/// A quantity whose difference from the baseline is described.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    /// Validation loss.
    Loss,
    /// Error rate in percent: differences are in percentage points, with this many decimals.
    ErrorRate(usize),
}

/// Describes how a loss or an error rate differs from the baseline's; `values` are the two means.
pub(super) fn difference(
    change: Change,
    repeated: bool,
    quantity: Quantity,
    values: Option<(f64, f64)>,
) -> String {
    let (decimals, subject, unit) = match quantity {
        Quantity::Loss => (3, "loss ", ""),
        Quantity::ErrorRate(decimals) => (decimals, "", " points"),
    };
    let values = values.map(|(own, other)| format!("{own:.decimals$} vs {other:.decimals$}"));
    let way = if change.estimate > 0.0 {
        "higher"
    } else {
        "lower"
    };
    let format = ChangeFormat::Difference(decimals, unit);
    let (size, evidence) = (format.size(change), format.evidence(change));
    let excludes_zero = change
        .tested
        .is_some_and(|tested| tested.low > 0.0 || tested.high < 0.0);
    match change.is_significant() {
        Some(false) if !excludes_zero => {
            let what = match quantity {
                Quantity::Loss => " in loss",
                Quantity::ErrorRate(_) => "",
            };
            let details = in_parentheses([values, evidence, format.detectable(change)]);
            format!("no significant difference{what}{details}")
        }
        // One of many strategies will seem different by chance. It may also be different, so "no difference" would say too much.
        Some(false) => {
            let details = in_parentheses([values, evidence, format.detectable(change)]);
            format!("{subject}{size} {way} but not significant after correction{details}")
        }
        _ => {
            let evidence = evidence.or(untested(change, repeated));
            let details = in_parentheses([values, evidence]);
            format!("{subject}{size} {way}{details}")
        }
    }
}

/// That there is no test, although other runs were repeated. With one seed the report says so once.
fn untested(change: Change, repeated: bool) -> Option<String> {
    (change.tested.is_none() && repeated).then(|| "too few runs to test".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Test, Tested};

    #[test]
    fn a_speed_up_that_rounds_to_one_is_not_called_faster() {
        let phrase = |estimate| {
            let tested = None;
            speed_phrase(Change { estimate, tested }, "random", None, false, false)
        };
        assert_eq!(phrase(1.004), "mean speed within 0.5 % of random's");
        assert_eq!(phrase(0.996), "mean speed within 0.5 % of random's");
        assert_eq!(phrase(1.01), "1.01× faster than random");
        assert_eq!(phrase(0.93), "7 % slower than random");
    }

    #[test]
    fn an_interval_that_excludes_zero_is_not_called_no_difference() {
        let phrase = |low, high, p| {
            let tested = Some(Tested {
                test: Test::Dunnett,
                low,
                high,
                p,
                detectable: Some(0.04),
            });
            let estimate = (low + high) / 2.0;
            difference(Change { estimate, tested }, true, Quantity::Loss, None)
        };
        assert_eq!(
            phrase(0.01, 0.05, 0.01),
            "loss 0.030 higher (95 % CI +0.010 to +0.050, p = 0.010)"
        );
        assert!(phrase(0.01, 0.05, 0.11).contains("0.030 higher but not significant"));
        assert!(phrase(-0.05, -0.01, 0.11).contains("0.030 lower but not significant"));
        assert_eq!(
            phrase(-0.01, 0.05, 0.30),
            "no significant difference in loss (95 % CI −0.010 to +0.050, p = 0.30, detectable: 0.040)"
        );
    }
}
