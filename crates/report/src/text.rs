//! Numbers and lists as people read them.

use crate::statistics::{Change, ConfidenceInterval};

/// What stands where there is no number.
pub const NOTHING: &str = "–";

/// The text, or what stands where there is none.
pub(crate) fn or_nothing(text: Option<String>) -> String {
    text.unwrap_or_else(|| NOTHING.into())
}

/// The digits of a whole number with a comma before every three.
pub fn with_thousands(digits: &str) -> String {
    let mut grouped = String::new();
    for (position, digit) in digits.char_indices() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number as a sentence has it: rounded, halves up as far as f64 tells them, with commas between thousands.
pub(crate) fn rounded(number: f64, decimals: usize) -> String {
    // Formatting alone would take the even neighbour of a half.
    let unit = 10f64.powi(decimals as i32);
    let size = (number.abs() * unit).round() / unit;
    let digits = format!("{size:.decimals$}");
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let sign = match number < 0.0 && size > 0.0 {
        true => "−",
        false => "",
    };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", with_thousands(whole))
}

/// A number with its sign, a true minus, and no sign before nothing.
pub(crate) fn signed(value: f64, decimals: usize) -> String {
    let shown = format!("{:.decimals$}", value.abs());
    if shown.chars().all(|c| c == '0' || c == '.') {
        shown
    } else if value < 0.0 {
        format!("−{shown}")
    } else {
        format!("+{shown}")
    }
}

/// A mean, with half its interval where that is wide enough to be seen in so many decimals.
pub(crate) fn mean_with_interval(interval: ConfidenceInterval, decimals: usize) -> String {
    let Some(mean) = interval.mean else {
        return NOTHING.into();
    };
    let shown = 0.5 * 10f64.powi(-(decimals as i32));
    let width = interval.half_width.filter(|&width| width >= shown);
    let width = width.map(|width| format!(" ± {width:.decimals$}"));
    format!("{mean:.decimals$}{}", width.unwrap_or_default())
}

/// A paper's number, to no more decimals than it has.
pub(crate) fn shortest(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    rounded.to_string()
}

/// A p as a table has it.
pub(crate) fn p_value(change: Change) -> Option<String> {
    let p = change.tested?.p;
    Some(if p < 0.001 {
        "< 0.001".into()
    } else if p < 0.1 {
        format!("{p:.3}")
    } else {
        format!("{p:.2}")
    })
}

/// A p within a sentence.
pub(crate) fn p_phrase(change: Change) -> Option<String> {
    let p = p_value(change)?;
    Some(if p.starts_with('<') {
        format!("p {p}")
    } else {
        format!("p = {p}")
    })
}

/// Things in a row: a, b and c.
pub(crate) fn listed(things: &[String]) -> String {
    match things {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// So many of something.
pub(crate) fn counted(count: u64, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(with_thousands("0"), "0");
        assert_eq!(with_thousands("999"), "999");
        assert_eq!(with_thousands("1000"), "1,000");
        assert_eq!(with_thousands("12345678"), "12,345,678");
    }

    #[test]
    fn signs_and_lists() {
        assert_eq!(signed(-0.0004, 3), "0.000");
        assert_eq!(signed(-0.25, 2), "−0.25");
        assert_eq!(signed(1.0, 1), "+1.0");
        let abc = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(listed(&abc), "a, b and c");
        assert_eq!(listed(&abc[..1]), "a");
    }
}
