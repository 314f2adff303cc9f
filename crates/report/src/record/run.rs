//! The epochs of one run, sums and means over them, and how the run ended.

use super::{EpochRow, ExperimentConfig, Status, WordsRecord, WordsRow};
use crate::statistics::ConfidenceInterval;

/// How a run ended, or that it has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// Every epoch completed, or the run reached a limit of time or loss.
    Complete,
    /// The run was stopped or killed, or is still going.
    Unfinished {
        /// Completed epochs.
        done: u64,
    },
    /// The loss diverged.
    Diverged {
        /// The epoch in which it diverged.
        epoch: u64,
    },
    /// The device or the machine failed, and the run was not retried.
    Failed {
        /// The epoch in which it failed.
        epoch: u64,
        /// The error message.
        note: String,
    },
}

impl RunStatus {
    /// Whether the run diverged or failed. Its last loss is then not a result.
    pub fn is_broken(&self) -> bool {
        matches!(self, RunStatus::Diverged { .. } | RunStatus::Failed { .. })
    }

    /// Whether the run completed.
    pub fn is_complete(&self) -> bool {
        *self == RunStatus::Complete
    }
}

/// The progress of a run, as needed to resume it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunProgress {
    /// Completed epochs.
    pub epochs_done: u64,
    /// The loss of the first step of the run.
    pub start_loss: Option<f64>,
    /// Training time of those epochs, in seconds.
    pub train_seconds: f64,
    /// Whether nothing is left to do: every epoch completed, a limit was reached, or the loss diverged. A failed run has not
    /// ended, because resuming retries it.
    pub ended: bool,
    /// The status after the last row; none before the first row.
    pub status: Option<RunStatus>,
}

impl RunProgress {
    /// From the rows of one run, in order, and the planned number of epochs.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a EpochRow>, planned_epochs: u64) -> Self {
        let mut progress = RunProgress {
            ended: planned_epochs == 0,
            ..RunProgress::default()
        };
        for row in rows {
            if row.is_complete() {
                if progress.epochs_done == 0 {
                    progress.start_loss = row.start_loss;
                }
                progress.epochs_done += 1;
                progress.train_seconds += row.train_seconds;
            }
            let (done, epoch) = (progress.epochs_done, row.epoch);
            progress.ended |= row.is_final() || done >= planned_epochs;
            progress.status = Some(match row.status {
                Status::Diverged => RunStatus::Diverged { epoch },
                Status::Failed => RunStatus::Failed {
                    epoch,
                    note: row.note.clone(),
                },
                Status::Trained if done < planned_epochs => RunStatus::Unfinished { done },
                Status::Trained | Status::Stopped => RunStatus::Complete,
            });
        }
        progress
    }
}

/// The rows of one run, that is, one strategy and seed.
pub fn rows_of<'a>(
    epochs: &'a [EpochRow],
    strategy: &str,
    seed: u64,
) -> impl Iterator<Item = &'a EpochRow> + Clone {
    epochs
        .iter()
        .filter(move |row| row.strategy == strategy && row.seed == seed)
}

/// The epochs of one run.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// Its seed.
    pub seed: u64,
    /// Completed epochs.
    pub epochs: Vec<&'a EpochRow>,
    /// How it ended.
    pub status: RunStatus,
    /// Its word errors on the test set, if it completed and was decoded.
    pub words: Option<&'a WordsRow>,
    /// Planned epochs.
    planned: u64,
}

impl<'a> Run<'a> {
    /// The runs of a strategy that have started, in the order of the config's seeds.
    pub fn all(
        name: &str,
        config: &ExperimentConfig,
        epochs: &'a [EpochRow],
        words: &'a WordsRecord,
    ) -> Vec<Self> {
        let run = |&seed: &u64| {
            let own = rows_of(epochs, name, seed);
            let status = RunProgress::of(own.clone(), config.train.epochs).status?;
            let words = words.of_run(name, seed);
            Some(Run {
                seed,
                words: words.filter(|_| status.is_complete()),
                status,
                epochs: own.filter(|row| row.is_complete()).collect(),
                planned: config.train.epochs,
            })
        };
        config.train.seeds.iter().filter_map(run).collect()
    }

    fn sum(&self, of: impl Fn(&EpochRow) -> f64) -> f64 {
        self.epochs.iter().map(|row| of(row)).sum()
    }

    /// Its seed and the word errors of each test utterance, if it was decoded.
    pub fn word_errors(&self) -> Option<(u64, &'a [u32])> {
        Some((self.seed, self.words?.errors.as_slice()))
    }

    /// Training time in seconds.
    pub fn train_seconds(&self) -> f64 {
        // The empty sum is −0.
        self.sum(|row| row.train_seconds) + 0.0
    }

    /// A sum over epochs, divided by the training time.
    pub(super) fn per_second(&self, of: impl Fn(&EpochRow) -> f64) -> Option<f64> {
        let seconds = self.train_seconds();
        (seconds > 0.0).then(|| self.sum(of) / seconds)
    }

    /// A sum of seconds over epochs, in percent of the training time.
    pub(super) fn share_of_time(&self, of: impl Fn(&EpochRow) -> f64) -> Option<f64> {
        let seconds = self.train_seconds();
        (seconds > 0.0).then(|| 100.0 * self.sum(of) / seconds)
    }

    /// Mean training time per epoch, in seconds.
    pub fn epoch_seconds(&self) -> Option<f64> {
        let count = self.epochs.len() as f64;
        (count > 0.0).then(|| self.train_seconds() / count)
    }

    pub(super) fn mean(&self, of: impl Fn(&EpochRow) -> Option<f64>) -> Option<f64> {
        ConfidenceInterval::of(self.epochs.iter().map(|row| of(row))).mean
    }

    pub(super) fn largest(&self, of: impl Fn(&EpochRow) -> Option<u64>) -> Option<f64> {
        let largest = self.epochs.iter().filter_map(|row| of(row)).max();
        largest.map(|value| value as f64)
    }

    pub(super) fn last(&self, of: impl Fn(&EpochRow) -> Option<f64>) -> Option<f64> {
        self.epochs.iter().rev().find_map(|row| of(row))
    }

    /// Pairs of epoch and validation loss.
    pub fn losses(&self) -> Vec<(u64, f64)> {
        let losses = self.epochs.iter();
        losses
            .filter_map(|row| Some((row.epoch, row.validation_loss?)))
            .collect()
    }

    /// The loss after this fraction of training, averaged with its two neighbours as in Ge et al. (2021).
    pub(super) fn smoothed_loss(&self, share: f64) -> Option<f64> {
        let losses = self.losses();
        let epoch = share * self.planned as f64;
        let at = losses
            .iter()
            .position(|&(at, _)| at as f64 >= epoch - 1e-9)?;
        let around = &losses[at.saturating_sub(1)..(at + 2).min(losses.len())];
        Some(around.iter().map(|(_, loss)| loss).sum::<f64>() / around.len() as f64)
    }

    /// The loss averaged from this fraction of training to the end.
    pub(super) fn mean_loss_from(&self, share: f64) -> Option<f64> {
        let from = share * self.planned as f64;
        self.mean(|row| row.validation_loss.filter(|_| row.epoch as f64 >= from))
    }

    /// Training time until the validation loss reached the target.
    pub(super) fn seconds_to_loss(&self, target: f64) -> Option<f64> {
        let mut seconds = 0.0;
        let reached = self.epochs.iter().find(|row| {
            seconds += row.train_seconds;
            row.validation_loss.is_some_and(|loss| loss <= target)
        });
        reached.map(|_| seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(statuses: &[Status]) -> Vec<EpochRow> {
        let rows = (1..).zip(statuses).map(|(epoch, &status)| EpochRow {
            epoch,
            status,
            train_seconds: 2.0,
            start_loss: Some(epoch as f64),
            ..EpochRow::default()
        });
        rows.collect()
    }

    #[test]
    fn a_run_ends_after_its_last_epoch_or_earlier_but_not_by_failing() {
        use Status::{Diverged, Failed, Stopped, Trained};
        for (statuses, done, ended) in [
            (&[][..], 0, false),
            (&[Trained], 1, false),
            (&[Trained, Trained, Trained], 3, true),
            (&[Trained, Stopped], 2, true),
            (&[Trained, Diverged], 1, true),
            (&[Trained, Failed], 1, false),
            (&[Failed, Trained], 1, false),
        ] {
            let rows = rows(statuses);
            let progress = RunProgress::of(&rows, 3);
            assert_eq!(progress.epochs_done, done, "{statuses:?}");
            assert_eq!(progress.train_seconds, 2.0 * done as f64);
            assert_eq!(progress.ended, ended, "{statuses:?}");
            let complete = progress.status.as_ref().is_some_and(RunStatus::is_complete);
            let broken = progress.status.as_ref().is_some_and(RunStatus::is_broken);
            assert_eq!(ended, complete || statuses.contains(&Diverged));
            assert_eq!(broken, matches!(statuses, [.., Diverged | Failed]));
        }
        let failed_first = RunProgress::of(&rows(&[Failed, Trained]), 3);
        assert_eq!(failed_first.start_loss, Some(2.0));
        assert!(RunProgress::of([], 0).ended, "there is nothing to do");
    }
}
