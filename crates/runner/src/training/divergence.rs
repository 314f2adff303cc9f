//! When a run has diverged: its loss is no number any more, or many times what it began with.

use padwise_model::LossSum;

/// Watches the losses of a run.
#[derive(Clone, Debug)]
pub struct Watch {
    multiple: f64,
    start: Option<f64>,
}

impl Watch {
    /// Calls a run diverged when its loss passes `multiple` times the first one, which a run that is resumed remembers.
    pub fn new(multiple: f64, start: Option<f64>) -> Self {
        Watch { multiple, start }
    }

    /// The first step's loss.
    pub fn start(&self) -> Option<f64> {
        self.start
    }

    /// Looks at the losses of some steps in a row; says in words how the run has diverged, if it has. Single steps may be
    /// anything but NaN: a batch of one odd utterance is no divergence.
    pub fn look(&mut self, losses: &[LossSum]) -> Option<String> {
        let first = losses.first()?;
        let start = *self.start.get_or_insert(first.mean().unwrap_or(f64::NAN));
        if losses.iter().any(|loss| !loss.sum.is_finite()) || !start.is_finite() {
            return Some("the loss is not a number any more".into());
        }
        let sum: f64 = losses.iter().map(|loss| loss.sum).sum();
        let counted: u64 = losses.iter().map(|loss| loss.counted).sum();
        let mean = sum / counted as f64;
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
        let mut watch = Watch::new(10.0, None);
        assert_eq!(watch.look(&[]), None);
        assert_eq!(watch.look(&[step(2.0), step(1.9)]), None);
        assert_eq!(watch.look(&[step(25.0), step(1.8), step(1.7)]), None);
        assert!(watch.look(&[step(25.0), step(26.0)]).is_some());
        assert!(watch.look(&[step(1.0), step(f64::NAN)]).is_some());
        assert_eq!(watch.start(), Some(2.0));
        assert!(Watch::new(10.0, Some(0.1)).look(&[step(2.0)]).is_some());
    }
}
