//! What a recommendation says about an error or a loss: its change from the baseline's with its evidence.

use super::learning::within_margin;
use super::verdict::in_parentheses;
use crate::statistics::Change;
use crate::text::ChangeFormat;

/// How the error of a recommended strategy compares with the baseline's: the rest of a sentence that begins with its name.
pub(super) fn not_worse(change: Change, format: ChangeFormat, margin: Option<f64>) -> String {
    let size = format.size(change);
    let details = in_parentheses([evidence_or_none(change, format)]);
    let within = margin.map(|margin| within_margin(change, margin));
    let within = within.unwrap_or_default();
    match change.is_significant() {
        Some(true) if change.estimate < 0.0 => format!("is {size} lower{details}"),
        Some(true) => {
            let within = margin.filter(|&margin| change.is_below(margin));
            let within = within
                .map(|margin| format!(", but by less than the margin of {margin} points"))
                .unwrap_or_default();
            format!("is {size} higher{details}{within}")
        }
        Some(false) if excludes_zero(change) => {
            let way = direction(change);
            format!("is {size} {way}, but not significantly after correction{details}{within}")
        }
        Some(false) => {
            let estimate = Some(format.estimate(change));
            let evidence = evidence_or_none(change, format);
            let details = in_parentheses([estimate, evidence]);
            format!("does not differ significantly{details}{within}")
        }
        None if change.estimate == 0.0 => format!("has the same mean{details}"),
        None => format!("is {size} {}{details}", direction(change)),
    }
}

/// How much higher an error or a loss is: the rest of a sentence that begins with its name.
pub(super) fn higher(change: Change, format: ChangeFormat) -> String {
    let size = format.size(change);
    let details = in_parentheses([evidence_or_none(change, format)]);
    match change.is_significant() {
        Some(false) => format!("is {size} higher, not significantly{details}"),
        _ => format!("is {size} higher{details}"),
    }
}

fn direction(change: Change) -> &'static str {
    match change.estimate > 0.0 {
        true => "higher",
        false => "lower",
    }
}

fn excludes_zero(change: Change) -> bool {
    let tested = change.tested;
    tested.is_some_and(|tested| tested.low > 0.0 || tested.high < 0.0)
}

/// The interval, the p-value and, if the change is not significant, the size that the test finds; or that there is no test.
pub(super) fn evidence_or_none(change: Change, format: ChangeFormat) -> Option<String> {
    let Some(evidence) = format.evidence(change) else {
        return Some("not tested".into());
    };
    let detectable = format.detectable(change);
    let detectable = detectable.filter(|_| change.is_significant() == Some(false));
    let parts: Vec<String> = std::iter::once(evidence).chain(detectable).collect();
    Some(parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Test, Tested};

    const POINTS: ChangeFormat = ChangeFormat::Difference(2, " points");

    fn change(estimate: f64, low: f64, high: f64, p: f64) -> Change {
        let tested = Some(Tested {
            test: Test::Bootstrap,
            low,
            high,
            p,
            detectable: Some(0.4),
        });
        Change { estimate, tested }
    }

    #[test]
    fn a_significantly_higher_error_is_not_called_lower() {
        let said = |change| not_worse(change, POINTS, Some(0.5));
        assert_eq!(
            said(change(0.20, 0.10, 0.30, 0.0001)),
            "is 0.20 points higher (95 % CI +0.10 to +0.30 points, p < 0.001), but by less than the margin of 0.5 points"
        );
        assert_eq!(
            said(change(-0.20, -0.30, -0.10, 0.0001)),
            "is 0.20 points lower (95 % CI −0.30 to −0.10 points, p < 0.001)"
        );
    }

    #[test]
    fn a_difference_that_is_not_significant_has_its_detectable_size() {
        let wide = change(-0.10, -0.60, 0.40, 0.8);
        assert_eq!(
            not_worse(wide, POINTS, None),
            "does not differ significantly (−0.10 points, 95 % CI −0.60 to +0.40 points, p = 0.80, detectable: 0.40 points)"
        );
        assert!(not_worse(wide, POINTS, Some(0.5)).ends_with("; at most 0.5 points higher"));
        assert!(not_worse(wide, POINTS, Some(0.7)).ends_with("; equivalent within ±0.7 points"));
        let uncorrected = change(0.20, 0.05, 0.35, 0.06);
        assert_eq!(
            not_worse(uncorrected, POINTS, Some(0.5)),
            "is 0.20 points higher, but not significantly after correction (95 % CI +0.05 to +0.35 points, p = 0.060, detectable: 0.40 points); equivalent within ±0.5 points"
        );
        assert_eq!(
            higher(change(0.10, -0.40, 0.60, 0.8), POINTS),
            "is 0.10 points higher, not significantly (95 % CI −0.40 to +0.60 points, p = 0.80, detectable: 0.40 points)"
        );
    }

    #[test]
    fn an_untested_difference_is_called_so() {
        let of = |estimate| Change {
            estimate,
            tested: None,
        };
        let said = |estimate| not_worse(of(estimate), POINTS, None);
        assert_eq!(said(-0.1), "is 0.10 points lower (not tested)");
        assert_eq!(said(0.0), "has the same mean (not tested)");
        assert_eq!(
            higher(of(0.1), POINTS),
            "is 0.10 points higher (not tested)"
        );
    }
}
