//! Readable ends and labels of axes.

/// The next round number: 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times a power of ten.
pub(in crate::plots) fn rounded_up(value: f64) -> f64 {
    if !(value > 0.0 && value.is_finite()) {
        return 0.0;
    }
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    let step = steps
        .into_iter()
        .find(|step| step * power >= value * (1.0 - 1e-9));
    step.unwrap_or(10.0) * power
}

/// A number with as few digits as its size allows.
pub(in crate::plots) fn label(value: &f64) -> String {
    with_digits(*value, f64::INFINITY)
}

/// Labels of an axis between two ends. If the ends are close, labels get more digits, so that no two ticks have the same label.
pub(in crate::plots) fn labels(low: f64, high: f64) -> impl Fn(&f64) -> String {
    move |value| with_digits(*value, high - low)
}

fn with_digits(value: f64, span: f64) -> String {
    // Ticks are at least a tenth of the span apart, and may be at quarters. Trailing zeros are removed below.
    let distinct = |span: f64| (2.0 - span.log10()).ceil().clamp(0.0, 9.0) as usize;
    let (scaled, digits, unit) = match value.abs() {
        size if size >= 10_000.0 => (value / 1000.0, distinct(span / 1000.0), "k"),
        size if size >= 100.0 => (value, distinct(span), ""),
        size if size >= 10.0 => (value, distinct(span).max(1), ""),
        _ => (value, distinct(span).max(2), ""),
    };
    let text = format!("{scaled:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    match text {
        "-0" => "0".into(),
        text => text.replace('-', "−") + unit,
    }
}

/// A non-empty range around values, with a small margin.
pub(in crate::plots) fn around(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    if low > high {
        return (0.0, 1.0);
    }
    let margin = (0.06 * (high - low)).max(0.01 * high.abs()).max(1e-6);
    (low - margin, high + margin)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_are_short() {
        let labels = [0.0, -0.0, 0.5, 2.0, 12.5, 150.0, 25_000.0, -7.25].map(|value| label(&value));
        assert_eq!(
            labels,
            ["0", "0", "0.5", "2", "12.5", "150", "25k", "−7.25"]
        );
    }

    #[test]
    fn close_ends_get_more_digits() {
        let of = |low, high, values: [f64; 2]| values.map(|value| labels(low, high)(&value));
        assert_eq!(of(0.717, 0.736, [0.72, 0.725]), ["0.72", "0.725"]);
        assert_eq!(of(1580.0, 1584.0, [1580.5, 1582.0]), ["1580.5", "1582"]);
        assert_eq!(
            of(20_000.0, 20_900.0, [20_200.0, 20_400.0]),
            ["20.2k", "20.4k"]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn rounding_up_adds_at_most_a_third(value in 1e-6f64..1e9) {
            let rounded = rounded_up(value);
            prop_assert!(rounded >= value * (1.0 - 1e-8) && rounded <= value * 1.34 + 1e-12);
        }

        #[test]
        fn tick_labels_are_distinct(low in -1e5f64..1e5, span in -3.0f64..5.0, step in prop::sample::select(vec![0.1, 0.2, 0.25])) {
            let span = 10f64.powf(span);
            // Ticks are at round numbers.
            let step = step * 10f64.powf(span.log10().ceil());
            let first = (low / step).floor();
            let label = labels(low, low + span);
            let ticks: Vec<String> = (0..5).map(|n| label(&((first + f64::from(n)) * step))).collect();
            let distinct: std::collections::HashSet<&String> = ticks.iter().collect();
            prop_assert_eq!(distinct.len(), ticks.len(), "{:?}", ticks);
        }

        #[test]
        fn ranges_contain_their_values(values in prop::collection::vec(-1e6f64..1e6, 1..9)) {
            let (low, high) = around(values.iter().copied());
            prop_assert!(low < high);
            prop_assert!(values.iter().all(|value| (low..=high).contains(value)));
        }
    }
}
