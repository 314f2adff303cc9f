//! Mean and standard deviation of a few measurements.

/// Mean and sample standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mean; `None` if every value is undefined.
    pub mean: Option<f64>,
    /// The sample standard deviation; `None` for fewer than two values.
    pub std: Option<f64>,
}

impl Spread {
    /// Computes both, ignoring undefined values.
    pub fn of(values: &[Option<f64>]) -> Self {
        let values: Vec<f64> = values.iter().copied().flatten().collect();
        let n = values.len() as f64;
        if values.is_empty() {
            return Spread {
                mean: None,
                std: None,
            };
        }
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        Spread {
            mean: Some(mean),
            std: (values.len() > 1).then(|| {
                let std = (squares / (n - 1.0)).sqrt();
                // Rounding of the mean gives equal values a tiny deviation; report it as zero.
                if std < 1e-12 * mean.abs() { 0.0 } else { std }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_of_known_values() {
        let spread = Spread::of(&[Some(1.0), None, Some(2.0), Some(3.0)]);
        assert_eq!(spread.mean, Some(2.0));
        assert_eq!(spread.std, Some(1.0));
        assert_eq!(Spread::of(&[Some(0.1); 3]).std, Some(0.0));
        assert_eq!(Spread::of(&[Some(5.0)]).std, None);
        assert_eq!(Spread::of(&[None]).mean, None);
    }
}
