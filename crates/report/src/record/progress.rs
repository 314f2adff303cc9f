//! How far a run is, how it ended, and which of its epochs is its result.

use serde::{Deserialize, Serialize};

use super::{EpochRow, ExperimentConfig, Status};

/// How a run ended, or that it has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// Every epoch completed, or the run reached a limit of time, loss or patience.
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

/// The epoch with the lowest validation loss of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestEpoch {
    /// Its number, from 1.
    pub epoch: u64,
    /// Its validation loss.
    pub loss: f64,
}

impl BestEpoch {
    /// Replaces the best epoch by a later one if its loss is lower. Returns whether it did.
    pub fn improve(best: &mut Option<BestEpoch>, row: &EpochRow) -> bool {
        let Some(loss) = row.validation_loss else {
            return false;
        };
        let better = best.is_none_or(|best| loss < best.loss);
        if better {
            *best = Some(BestEpoch {
                epoch: row.epoch,
                loss,
            });
        }
        better
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
    /// The epoch with the lowest validation loss.
    pub best: Option<BestEpoch>,
    /// Whether nothing is left to do: every epoch completed, a limit was reached, or the loss diverged. A failed run has not
    /// ended, because resuming retries it.
    pub ended: bool,
    /// The status after the last row; none before the first row.
    pub status: Option<RunStatus>,
}

impl RunProgress {
    /// The epoch whose model is the result of the run so far: the best one with `train.patience`, otherwise the last one.
    pub fn result_epoch(&self, config: &ExperimentConfig) -> u64 {
        let best = self.best.filter(|_| config.train.patience.is_some());
        best.map_or(self.epochs_done, |best| best.epoch)
    }

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
                BestEpoch::improve(&mut progress.best, row);
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
