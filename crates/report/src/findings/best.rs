//! The lowest loss on the way. A model that is trained for too long learns its training data by heart, and its validation loss rises; the loss after
//! the last epoch then says how far that went as well as how well it learned.

use crate::record::Run;

/// A rise below this share of the lowest loss is noise.
const RISE: f64 = 0.02;

/// The lowest loss of a row's mean over complete runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lowest {
    /// The loss.
    pub loss: f64,
    /// After which epoch.
    pub epoch: u64,
    /// The loss after the last epoch.
    pub last: f64,
}

impl Lowest {
    /// The lowest of the mean losses over the runs that came to their end; none where these were not validated after the same epochs.
    pub(super) fn of_runs(runs: &[Run]) -> Option<Self> {
        let complete = runs.iter().filter(|run| run.status.is_complete());
        let losses: Vec<_> = complete.map(Run::losses).collect();
        let epochs = |run: &[(u64, f64)]| run.iter().map(|&(epoch, _)| epoch).collect::<Vec<_>>();
        let first = losses.first()?;
        if losses.iter().any(|run| epochs(run) != epochs(first)) {
            return None;
        }
        let means = first.iter().enumerate().map(|(index, &(epoch, _))| {
            let sum: f64 = losses.iter().map(|run| run[index].1).sum();
            (epoch, sum / losses.len() as f64)
        });
        Lowest::of(&means.collect::<Vec<_>>())
    }

    /// Of losses with their epochs, in order.
    fn of(losses: &[(u64, f64)]) -> Option<Self> {
        let &(epoch, loss) = losses.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let &(_, last) = losses.last()?;
        Some(Self { loss, epoch, last })
    }

    /// Whether it has risen since.
    pub fn is_past(&self) -> bool {
        self.last > (1.0 + RISE) * self.loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_that_rose_is_past_its_best_and_one_that_wavers_is_not() {
        let of = |losses: &[f64]| {
            let losses: Vec<_> = (1..).zip(losses.iter().copied()).collect();
            Lowest::of(&losses).expect("losses")
        };
        let rose = of(&[1.0, 0.7, 0.75, 0.9]);
        assert_eq!((rose.loss, rose.epoch, rose.last), (0.7, 2, 0.9));
        assert!(rose.is_past());
        assert!(!of(&[1.0, 0.7, 0.71]).is_past());
        assert!(!of(&[1.0, 0.7, 0.6]).is_past());
        assert_eq!(Lowest::of(&[]), None);
    }
}
