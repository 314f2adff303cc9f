//! Detects divergence: a loss that is NaN or infinite, or many times the first loss.

use padwise_model::LossSum;

/// Detects from its losses whether a run has diverged.
#[derive(Clone, Debug)]
pub struct DivergenceDetector {
    multiple: f64,
    start: Option<f64>,
}

impl DivergenceDetector {
    /// A detector with a limit of `multiple` times the first loss. A resumed run passes its first loss as `start`.
    pub fn new(multiple: f64, start: Option<f64>) -> Self {
        DivergenceDetector { multiple, start }
    }

    /// The first step's loss.
    pub fn start(&self) -> Option<f64> {
        self.start
    }

    /// Checks the losses of consecutive steps; returns the reason if the run has diverged. Compares their mean, because one unusual
    /// batch is not divergence.
    pub fn check(&mut self, losses: &[LossSum]) -> Option<String> {
        let first = losses.first()?.mean().unwrap_or(f64::NAN);
        let start = *self.start.get_or_insert(first);
        if losses.iter().any(|loss| !loss.sum.is_finite()) || !start.is_finite() {
            return Some("the loss is NaN or infinite".into());
        }
        let mean = losses.iter().copied().sum::<LossSum>().mean()?;
        (mean > self.multiple * start)
            .then(|| format!("the loss is {mean:.3}, from {start:.3} at the first step"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(mean: f64) -> LossSum {
        LossSum {
            sum: 10.0 * mean,
            counted: 10,
            wrong: 0,
        }
    }

    #[test]
    fn nan_and_growth_are_divergence_and_one_bad_step_is_not() {
        let mut detector = DivergenceDetector::new(10.0, None);
        assert_eq!(detector.check(&[]), None);
        assert_eq!(detector.check(&[step(2.0), step(1.9)]), None);
        assert_eq!(detector.check(&[step(25.0), step(1.8), step(1.7)]), None);
        assert!(detector.check(&[step(25.0), step(26.0)]).is_some());
        assert!(detector.check(&[step(1.0), step(f64::NAN)]).is_some());
        assert_eq!(detector.start(), Some(2.0));
        assert!(
            DivergenceDetector::new(10.0, Some(0.1))
                .check(&[step(2.0)])
                .is_some()
        );
    }
}
