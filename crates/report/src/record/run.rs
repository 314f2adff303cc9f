//! The epochs of one run, and sums and means over them.

use super::progress::{RunProgress, RunStatus, rows_of};
use super::{EpochRow, ExperimentConfig, WordsRecord, WordsRow};
use crate::statistics::ConfidenceInterval;

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
    /// The epoch whose model is the result of the run, if `train.patience` is set; otherwise that is the last one.
    result: Option<u64>,
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
            let progress = RunProgress::of(own.clone(), config.train.epochs);
            let result = progress.result_epoch(config);
            let status = progress.status?;
            let words = words.of_run(name, seed);
            Some(Run {
                seed,
                words: words.filter(|_| status.is_complete()),
                status,
                epochs: own.filter(|row| row.is_complete()).collect(),
                planned: config.train.epochs,
                result: config.train.patience.map(|_| result),
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

    /// A value of the model that is the result of the run: of the best epoch with `train.patience`, otherwise of the last one.
    pub(crate) fn result(&self, of: impl Fn(&EpochRow) -> Option<f64>) -> Option<f64> {
        match self.result {
            Some(epoch) => of(self.epochs.iter().find(|row| row.epoch == epoch)?),
            None => self.epochs.iter().rev().find_map(|row| of(row)),
        }
    }

    /// The training time and a value after this many completed epochs. A run that ended before keeps its result.
    pub fn after(
        &self,
        epochs: usize,
        of: impl Fn(&EpochRow) -> Option<f64>,
    ) -> Option<(f64, f64)> {
        let until = &self.epochs[..epochs.min(self.epochs.len())];
        let value = match until.len() < epochs {
            true => self.result(of),
            false => of(until.last()?),
        };
        Some((until.iter().map(|row| row.train_seconds).sum(), value?))
    }

    /// Training time until the best epoch, if that is the result of the run.
    pub(super) fn best_epoch_seconds(&self) -> Option<f64> {
        self.until_best_epoch(|row| Some(row.train_seconds))
    }

    /// The sum of a value up to the best epoch, with `train.patience`.
    pub(crate) fn until_best_epoch(&self, value: impl Fn(&EpochRow) -> Option<f64>) -> Option<f64> {
        let best = self.result?;
        let until = self.epochs.iter().filter(|row| row.epoch <= best);
        until.map(|row| value(row)).sum()
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
