//! A mean over seeds with its confidence interval.

use serde::Serialize;

use super::{mean, squared_error, student_quantile};

/// A mean and half the width of its 95 % confidence interval (Student's t).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ConfidenceInterval {
    /// The mean; none without values.
    pub mean: Option<f64>,
    /// Half the width of the interval; none with fewer than two values.
    pub half_width: Option<f64>,
}

impl ConfidenceInterval {
    /// From values; undefined ones are ignored.
    pub fn of(values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let values: Vec<f64> = values.into_iter().flatten().collect();
        let count = values.len();
        if count == 0 {
            return ConfidenceInterval::default();
        }
        let half_width = (count > 1)
            .then(|| student_quantile((count - 1) as f64) * squared_error(&values).sqrt());
        ConfidenceInterval {
            mean: Some(mean(&values)),
            half_width,
        }
    }

    /// Both ends of the interval; none with fewer than two values.
    pub fn ends(self) -> Option<(f64, f64)> {
        let (mean, half_width) = self.mean.zip(self.half_width)?;
        Some((mean - half_width, mean + half_width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_known_values() {
        let interval = ConfidenceInterval::of([Some(1.0), None, Some(2.0), Some(3.0)]);
        assert_eq!(interval.mean, Some(2.0));
        let expected = 4.302_653 / 3f64.sqrt();
        assert!((interval.half_width.expect("three values") - expected).abs() < 1e-6);
        assert_eq!(ConfidenceInterval::of([Some(5.0)]).half_width, None);
        assert_eq!(
            ConfidenceInterval::of([None]),
            ConfidenceInterval::default()
        );
    }
}
