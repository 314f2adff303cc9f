//! A mean over seeds and how well it is known.

use serde::Serialize;

/// A mean and half the width of its 95 % confidence interval (Student's t).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Interval {
    /// The mean; none where there is no value.
    pub mean: Option<f64>,
    /// Half of the interval's width; none with fewer than two values.
    pub half_width: Option<f64>,
}

/// The 97.5 % quantile of Student's distribution with 1, 2, 3, … degrees of freedom; beyond, the normal one is near enough.
const STUDENT: [f64; 20] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
];

impl Interval {
    /// Of these values; those that are undefined are left out.
    pub fn of(values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let values: Vec<f64> = values.into_iter().flatten().collect();
        let count = values.len();
        if count == 0 {
            return Interval::default();
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let half_width = (count > 1).then(|| {
            let quantile = STUDENT.get(count - 2).copied().unwrap_or(1.96);
            quantile * (squares / (count - 1) as f64 / count as f64).sqrt()
        });
        Interval {
            mean: Some(mean),
            half_width,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_known_values() {
        let interval = Interval::of([Some(1.0), None, Some(2.0), Some(3.0)]);
        assert_eq!(interval.mean, Some(2.0));
        let expected = 4.303 / 3f64.sqrt();
        assert!((interval.half_width.expect("three values") - expected).abs() < 1e-12);
        assert_eq!(Interval::of([Some(5.0)]).half_width, None);
        assert_eq!(Interval::of([None]), Interval::default());
    }
}
