//! Formats numbers, units and lists for tables and sentences.

use crate::statistics::{Change, ConfidenceInterval};

/// Shown in place of a missing number.
pub const NOTHING: &str = "–";

/// Marks the name of a row whose training time is predicted, not measured.
pub(crate) const PREDICTED: &str = "†";

/// A name with [`PREDICTED`], if the training time of its row is predicted.
pub(crate) fn marked(name: &str, is_predicted: bool) -> String {
    match is_predicted {
        true => format!("{name} {PREDICTED}"),
        false => name.to_owned(),
    }
}

/// The text, or [`NOTHING`] if there is none.
pub(crate) fn or_nothing(text: Option<String>) -> String {
    text.unwrap_or_else(|| NOTHING.into())
}

/// Groups the digits of a whole number: `12345` becomes `12,345`.
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

/// Rounds a number for a sentence: half away from zero, with thousands separators.
pub(crate) fn rounded(number: f64, decimals: usize) -> String {
    // `format!` alone rounds half to even.
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

/// A number with its sign, using a true minus; zero has no sign.
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

/// A mean ± half the width of its confidence interval. The width is left out if it rounds to zero.
pub(crate) fn mean_with_interval(interval: ConfidenceInterval, decimals: usize) -> String {
    let Some(mean) = interval.mean else {
        return NOTHING.into();
    };
    let shown = 0.5 * 10f64.powi(-(decimals as i32));
    let width = interval.half_width.filter(|&width| width >= shown);
    let width = width.map(|width| format!(" ± {width:.decimals$}"));
    format!("{mean:.decimals$}{}", width.unwrap_or_default())
}

/// How a change is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeFormat {
    /// A ratio: `1.38×`.
    Ratio,
    /// A difference with its sign, its decimals and its unit, which begins with a space: `+0.3 points`.
    Difference(usize, &'static str),
}

impl ChangeFormat {
    fn number(self, value: f64) -> String {
        match self {
            ChangeFormat::Ratio => format!("{value:.2}"),
            ChangeFormat::Difference(decimals, _) => signed(value, decimals),
        }
    }

    fn unit(self) -> &'static str {
        match self {
            ChangeFormat::Ratio => "×",
            ChangeFormat::Difference(_, unit) => unit,
        }
    }

    /// A change with its unit.
    pub(crate) fn estimate(self, change: Change) -> String {
        self.number(change.estimate) + self.unit()
    }

    /// The size of a change without its sign, with its unit.
    pub(crate) fn size(self, change: Change) -> String {
        let size = self.number(change.estimate.abs());
        format!("{}{}", size.trim_start_matches('+'), self.unit())
    }

    /// The 95 % confidence interval without its unit, for a table cell: `+0.1 to +0.5`.
    pub(crate) fn interval(self, change: Change) -> Option<String> {
        let tested = change.tested?;
        let [low, high] = [tested.low, tested.high].map(|end| self.number(end));
        Some(format!("{low} to {high}"))
    }

    /// The 95 % confidence interval for a sentence: `95 % CI +0.1 to +0.5 points`.
    pub(crate) fn interval_phrase(self, change: Change) -> Option<String> {
        let interval = self.interval(change)?;
        Some(format!("95 % CI {interval}{}", self.unit()))
    }

    /// The confidence interval and the p-value for a sentence.
    pub(crate) fn evidence(self, change: Change) -> Option<String> {
        let interval = self.interval_phrase(change)?;
        Some(format!("{interval}, {}", p_phrase(change)?))
    }

    /// The size of a change that the test finds four times out of five.
    pub(crate) fn detectable(self, change: Change) -> Option<String> {
        let size = self.number(change.tested?.detectable?);
        let size = size.trim_start_matches('+');
        Some(format!("detectable: {size}{}", self.unit()))
    }
}

/// A ratio: `1.38×`.
pub(crate) fn times(ratio: f64) -> String {
    format!("{ratio:.2}×")
}

/// A number from a paper, with no more decimals than it was published with.
pub(crate) fn shortest(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    rounded.to_string()
}

/// A p-value for a table cell.
pub(crate) fn p_value(change: Change) -> Option<String> {
    Some(p_text(change.tested?.p))
}

/// A p-value with two digits that matter.
pub(crate) fn p_text(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".into()
    } else if p < 0.1 {
        format!("{p:.3}")
    } else {
        format!("{p:.2}")
    }
}

/// A p-value for a sentence: `p = 0.012`.
pub(crate) fn p_phrase(change: Change) -> Option<String> {
    let p = p_value(change)?;
    Some(if p.starts_with('<') {
        format!("p {p}")
    } else {
        format!("p = {p}")
    })
}

/// Joins a list: `a, b and c`.
pub(crate) fn listed(things: &[String]) -> String {
    match things {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A count with its noun, in the singular or the plural: `1 strategy`, `2 strategies`.
pub fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    // Callers count things in memory, so every number fits.
    let count = count.try_into().unwrap_or(u64::MAX);
    let digits = with_thousands(&count.to_string());
    if count == 1 {
        return format!("{digits} {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) => format!("{digits} {stem}ies"),
        None if noun.ends_with("tch") || noun.ends_with('s') => format!("{digits} {noun}es"),
        None => format!("{digits} {noun}s"),
    }
}

/// A throughput without its unit: `1,587`, `87.3`, `7.03`.
pub(crate) fn throughput(per_second: f64) -> String {
    let decimals = match per_second {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    rounded(per_second, decimals)
}

/// An amount of memory in MB or GB (10⁶ and 10⁹ bytes): `5.10 GB`, `240 MB`, `4.2 MB`.
pub fn memory(gb: f64) -> String {
    match gb {
        gb if gb >= 0.9995 => format!("{} GB", rounded(gb, 2)),
        gb if gb >= 0.00995 => format!("{} MB", rounded(1000.0 * gb, 0)),
        _ => format!("{} MB", rounded(1000.0 * gb, 1)),
    }
}

/// The GEMM precision that a record names, in today's terms: older records have other names for the same arithmetic.
pub(crate) fn precision(recorded: &str) -> String {
    recorded
        .replace("with tf32's mantissa", "TF32-precision")
        .replace("products TF32-precision", "TF32-precision GEMMs")
        .replace("tf32 products", "TF32 GEMMs")
        .replace("bf16 products", "BF16 GEMMs")
        .replace("f32 sums", "f32 accumulation")
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

    #[test]
    fn units_follow_the_size() {
        assert_eq!(throughput(1587.4), "1,587");
        assert_eq!(throughput(87.25), "87.3");
        assert_eq!(throughput(0.417), "0.42");
        assert_eq!(memory(5.1), "5.10 GB");
        assert_eq!(memory(0.2404), "240 MB");
        assert_eq!(memory(0.9999), "1.00 GB");
        assert_eq!(memory(0.0042), "4.2 MB");
        assert_eq!(counted(2, "strategy"), "2 strategies");
        assert_eq!(counted(2, "batch"), "2 batches");
        assert_eq!(counted(2, "epoch"), "2 epochs");
        assert_eq!(counted(1, "seed"), "1 seed");
        assert_eq!(counted(8738, "utterance"), "8,738 utterances");
    }

    #[test]
    fn precisions_of_older_records_are_renamed() {
        let recorded = ["products", "with tf32's mantissa", "(scaled f16), f32 sums"].join(" ");
        let shown = "TF32-precision GEMMs (scaled f16), f32 accumulation";
        assert_eq!(precision(&recorded), shown);
        assert_eq!(precision("f32"), "f32");
    }
}
