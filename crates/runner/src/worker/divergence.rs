//! When a run has diverged: its loss is no number any more, or many times what it began with.

use padwise_model::LossSum;

/// Tells from its losses whether a run has diverged.
#[derive(Clone, Debug)]
pub struct DivergenceDetector {
    multiple: f64,
    start: Option<f64>,
}

impl DivergenceDetector {
    /// Calls a run diverged when its loss passes `multiple` times the first one, which a run that is resumed remembers.
    pub fn new(multiple: f64, start: Option<f64>) -> Self {
        DivergenceDetector { multiple, start }
    }

    /// The first step's loss.
    pub fn start(&self) -> Option<f64> {
        self.start
    }

    /// Checks the losses of some steps in a row; the reason, if the run has diverged. Single steps may be
    /// anything but NaN: a batch of one odd utterance is no divergence.
    pub fn check(&mut self, losses: &[LossSum]) -> Option<String> {
        let first = losses.first()?.mean().unwrap_or(f64::NAN);
        let start = *self.start.get_or_insert(first);
        if losses.iter().any(|loss| !loss.sum.is_finite()) || !start.is_finite() {
            return Some("the loss is not a number any more".into());
        }
        let mean = losses.iter().copied().sum::<LossSum>().mean()?;
        (mean > self.multiple * start)
            .then(|| format!("the loss is {mean:.3}, and was {start:.3} at the first step"))
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
