//! Ends and labels of axes that people can read.

/// The next round number: 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times a power of ten.
pub(super) fn rounded_up(value: f64) -> f64 {
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

/// A number in as few digits as it needs at its size.
pub(super) fn label(value: &f64) -> String {
    let size = value.abs();
    let text = match size {
        _ if size >= 10_000.0 => format!("{:.0}k", value / 1000.0),
        _ if size >= 100.0 || size.fract() < 1e-9 => format!("{value:.0}"),
        _ if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    };
    if text == "-0" {
        "0".into()
    } else {
        text.replace('-', "−")
    }
}

/// A range around values with a little air; one that is not empty.
pub(super) fn around(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    if low > high {
        return (0.0, 1.0);
    }
    let air = (0.06 * (high - low)).max(0.01 * high.abs()).max(1e-6);
    (low - air, high + air)
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

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn round_numbers_are_no_smaller_and_not_much_larger(value in 1e-6f64..1e9) {
            let rounded = rounded_up(value);
            prop_assert!(rounded >= value * (1.0 - 1e-8) && rounded <= value * 1.34 + 1e-12);
        }

        #[test]
        fn ranges_hold_their_values(values in prop::collection::vec(-1e6f64..1e6, 1..9)) {
            let (low, high) = around(values.iter().copied());
            prop_assert!(low < high);
            prop_assert!(values.iter().all(|value| (low..=high).contains(value)));
        }
    }
}
