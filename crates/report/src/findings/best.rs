//! The lowest validation loss during training.
//!
//! If a model overfits, its validation loss rises again. The final loss then reflects the overfitting as well as what was learned.

use crate::record::Run;

/// A rise up to this fraction of the lowest loss is treated as noise.
const RISE: f64 = 0.02;

/// The lowest validation loss of a strategy: the minimum over epochs of the mean over complete runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lowest {
    /// The loss.
    pub loss: f64,
    /// The epoch after which it was measured.
    pub epoch: u64,
    /// The loss after the last epoch.
    pub last: f64,
}

impl Lowest {
    /// From the runs of a strategy. None if the complete runs were not validated after the same epochs.
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

    /// The loss of each complete run after the epoch at which the mean is lowest, with its seed.
    pub(super) fn by_seed(runs: &[Run]) -> Vec<(u64, f64)> {
        let Some(lowest) = Lowest::of_runs(runs) else {
            return Vec::new();
        };
        let complete = runs.iter().filter(|run| run.status.is_complete());
        let values = complete.filter_map(|run| {
            let mut losses = run.losses().into_iter();
            let (_, loss) = losses.find(|&(epoch, _)| epoch == lowest.epoch)?;
            Some((run.seed, loss))
        });
        values.collect()
    }

    /// From pairs of epoch and loss, in order.
    fn of(losses: &[(u64, f64)]) -> Option<Self> {
        let &(epoch, loss) = losses.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let &(_, last) = losses.last()?;
        Some(Self { loss, epoch, last })
    }

    /// Whether the loss rose again after its minimum, which indicates overfitting.
    pub fn is_past(&self) -> bool {
        self.last > (1.0 + RISE) * self.loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_is_overfitting_and_noise_is_not() {
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
