//! The epochs of one run, what they come to, and how the run stands.

use super::{EpochRow, Interval, Measured, Outline, Status};

/// How a run stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Every epoch was trained, or a limit of time or loss was reached.
    Complete,
    /// It was stopped or killed, or is still running.
    Unfinished {
        /// Epochs trained.
        done: u64,
    },
    /// The loss went out of hand.
    Diverged {
        /// The epoch in which it did.
        epoch: u64,
    },
    /// The device or the machine failed, and it has not been tried again.
    Failed {
        /// The epoch in which it did.
        epoch: u64,
        /// What was said.
        note: String,
    },
}

impl Standing {
    /// Whether something went wrong, so that its last loss is no result.
    pub fn is_broken(&self) -> bool {
        matches!(self, Standing::Diverged { .. } | Standing::Failed { .. })
    }

    /// Whether it came to its end.
    pub fn is_complete(&self) -> bool {
        *self == Standing::Complete
    }
}

/// The epochs of one run.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// Its seed.
    pub seed: u64,
    /// Epochs that were trained to their end.
    pub epochs: Vec<&'a EpochRow>,
    /// How it stands.
    pub standing: Standing,
    /// Epochs that it was meant to have.
    planned: u64,
}

impl<'a> Run<'a> {
    /// The runs of a row that were begun, in the order of the outline's seeds.
    pub fn all(name: &str, outline: &Outline, epochs: &'a [EpochRow]) -> Vec<Self> {
        let seeds = outline.seeds.iter();
        seeds
            .filter_map(|&seed| {
                let own: Vec<&EpochRow> = epochs
                    .iter()
                    .filter(|row| row.strategy == name && row.seed == seed)
                    .collect();
                let last = *own.last()?;
                let epochs: Vec<&EpochRow> =
                    own.into_iter().filter(|row| row.is_complete()).collect();
                let done = epochs.len() as u64;
                let epoch = last.epoch;
                let standing = match last.status {
                    Status::Diverged => Standing::Diverged { epoch },
                    Status::Failed => Standing::Failed {
                        epoch,
                        note: last.note.clone(),
                    },
                    Status::Trained if done < outline.epochs => Standing::Unfinished { done },
                    Status::Trained | Status::Stopped => Standing::Complete,
                };
                Some(Run {
                    seed,
                    epochs,
                    standing,
                    planned: outline.epochs,
                })
            })
            .collect()
    }
}

impl Run<'_> {
    fn sum(&self, of: impl Fn(&EpochRow) -> f64) -> f64 {
        self.epochs.iter().map(|row| of(row)).sum()
    }

    /// The sum of something over the training time.
    fn per_second(&self, of: impl Fn(&EpochRow) -> u64) -> Option<f64> {
        let seconds = self.sum(|row| row.train_seconds);
        (seconds > 0.0).then(|| self.sum(|row| of(row) as f64) / seconds)
    }

    /// Training time of an epoch, on average.
    pub fn epoch_seconds(&self) -> Option<f64> {
        let count = self.epochs.len() as f64;
        (count > 0.0).then(|| self.sum(|row| row.train_seconds) / count)
    }

    fn mean(&self, of: impl Fn(&EpochRow) -> Option<f64>) -> Option<f64> {
        Interval::of(self.epochs.iter().map(|row| of(row))).mean
    }

    fn largest(&self, of: impl Fn(&EpochRow) -> Option<u64>) -> Option<f64> {
        let largest = self.epochs.iter().filter_map(|row| of(row)).max();
        largest.map(|value| value as f64)
    }

    fn last(&self, of: impl Fn(&EpochRow) -> Option<f64>) -> Option<f64> {
        self.epochs.iter().rev().find_map(|row| of(row))
    }

    /// Validation losses with their epochs.
    pub fn losses(&self) -> Vec<(u64, f64)> {
        let losses = self.epochs.iter();
        losses
            .filter_map(|row| Some((row.epoch, row.validation_loss?)))
            .collect()
    }

    /// The loss at this share of training, averaged with the one before and the one after, as Ge et al. (2021) smooth theirs.
    fn smoothed(&self, share: f64) -> Option<f64> {
        let losses = self.losses();
        let epoch = share * self.planned as f64;
        let at = losses
            .iter()
            .position(|&(at, _)| at as f64 >= epoch - 1e-9)?;
        let around = &losses[at.saturating_sub(1)..(at + 2).min(losses.len())];
        Some(around.iter().map(|(_, loss)| loss).sum::<f64>() / around.len() as f64)
    }

    /// One measure of this run; times are compared with the baseline's seconds an epoch.
    pub fn value(
        &self,
        measured: Measured,
        target_loss: Option<f64>,
        baseline: Option<f64>,
    ) -> Option<f64> {
        const EARLY: f64 = 100.0 / 220.0;
        const MIDDLE: f64 = 160.0 / 220.0;
        match measured {
            Measured::Batches => self.mean(|row| Some(row.batches as f64)),
            Measured::ZprPercent => self.mean(|row| row.zpr_percent),
            Measured::Abl => self.mean(|row| row.abl),
            Measured::LargestBatchFrames => self.largest(|row| Some(row.largest_batch_frames)),
            Measured::Dropped => self.mean(|row| Some(row.dropped as f64)),
            Measured::UtterancesPerSecond => self.per_second(|row| row.utterances),
            Measured::ValidFramesPerSecond => self.per_second(|row| row.valid_frames),
            Measured::PaddedFramesPerSecond => self.per_second(|row| row.padded_frames),
            Measured::WaitPercent => {
                let seconds = self.sum(|row| row.train_seconds);
                (seconds > 0.0).then(|| 100.0 * self.sum(|row| row.wait_seconds) / seconds)
            }
            Measured::EpochSeconds => self.epoch_seconds(),
            Measured::WarmUpSeconds => self.epochs.first().map(|row| row.warm_up_seconds),
            Measured::MemoryGb => self
                .largest(EpochRow::memory_bytes)
                .map(|bytes| bytes / 1e9),
            Measured::SpeedUp => Some(baseline? / self.epoch_seconds()?),
            Measured::TimeSavedPercent => Some(100.0 * (1.0 - self.epoch_seconds()? / baseline?)),
            Measured::TrainLoss => self.last(|row| row.train_loss),
            Measured::ValidationLossEarly => self.smoothed(EARLY),
            Measured::ValidationLossMiddle => self.smoothed(MIDDLE),
            Measured::ValidationLoss => self.last(|row| row.validation_loss),
            Measured::ValidationLossAverage => {
                let late = self.losses().into_iter();
                let late = late.filter(|&(epoch, _)| epoch as f64 >= EARLY * self.planned as f64);
                Interval::of(late.map(|(_, loss)| Some(loss))).mean
            }
            Measured::FrameErrorPercent => self.last(|row| row.frame_error_percent),
            Measured::SequenceErrorPercent => self.last(|row| row.sequence_error_percent),
            Measured::SecondsToLoss => {
                let mut seconds = 0.0;
                for row in &self.epochs {
                    seconds += row.train_seconds;
                    if row
                        .validation_loss
                        .is_some_and(|loss| Some(loss) <= target_loss)
                    {
                        return Some(seconds);
                    }
                }
                None
            }
        }
    }
}
