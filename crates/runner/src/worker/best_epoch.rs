//! The epoch with the lowest validation loss, whose model is the result of a run with `train.patience`.
//!
//! The model of that epoch is kept in a separate checkpoint until the run ends. Posteriors for word error rates come from it. An
//! earlier one is removed only after the epoch's checkpoint was written, so a killed run finds the one that its rows name.

use anyhow::{Context, Result};
use padwise_model::Trainer;
use padwise_report::record::{BestEpoch, EpochRow};

use super::run;
use crate::checkpoints::{CheckpointTag, Position};
use crate::experiment::Experiment;
use crate::process::protocol::Job;

/// Watches for the best epoch of a run, and for the end of the patience.
pub(super) struct BestModel<'a> {
    job: &'a Job,
    patience: Option<u64>,
    best: Option<BestEpoch>,
}

impl<'a> BestModel<'a> {
    /// Continues where the job starts.
    pub fn new(job: &'a Job) -> Self {
        BestModel {
            job,
            patience: job.config.train.patience,
            best: job.best,
        }
    }

    /// Takes note of a validated epoch, and keeps its model if it is the best so far.
    pub fn note(&mut self, trainer: &dyn Trainer, row: &EpochRow) -> Result<()> {
        if self.patience.is_none() || !BestEpoch::improve(&mut self.best, row) {
            return Ok(());
        }
        let tag = CheckpointTag {
            run: self.job.run.clone(),
            position: Position {
                epoch: row.epoch,
                batch: None,
            },
            row: None,
            times: None,
            progress: None,
        };
        let path = self.job.run.best_checkpoint(&self.job.results, row.epoch);
        Ok(trainer.save(&path, &tag.to_text()?)?)
    }

    /// Removes models of earlier best epochs, once the checkpoint of the epoch was written.
    pub fn tidy(&self) {
        if let Some(best) = self.best {
            let run = &self.job.run;
            run.remove_best_checkpoints(&self.job.results, Some(best.epoch));
        }
    }

    /// Whether the run has gone on for long enough without a better epoch.
    pub fn is_over(&self, epoch: u64) -> bool {
        let waited = self.best.map(|best| epoch.saturating_sub(best.epoch));
        self.patience
            .zip(waited)
            .is_some_and(|(patience, waited)| waited >= patience)
    }

    /// A trainer with the best model; none if that is the model of this epoch. If the user asks to stop, the state of the run's own
    /// trainer is saved, so it is left alone.
    pub fn trainer(&self, experiment: &Experiment, epoch: u64) -> Result<Option<Box<dyn Trainer>>> {
        let Some(best) = self.best.filter(|best| best.epoch != epoch) else {
            return Ok(None);
        };
        if self.patience.is_none() {
            return Ok(None);
        }
        let mut trainer = run::trainer(experiment, &self.job.run)?;
        let path = self.job.run.best_checkpoint(&self.job.results, best.epoch);
        let tag = trainer
            .load(&path)
            .with_context(|| format!("cannot load the model of the best epoch, {}", best.epoch))?;
        let position = Position {
            epoch: best.epoch,
            batch: None,
        };
        CheckpointTag::check(&tag, &self.job.run, position)
            .map_err(|problem| anyhow::anyhow!("{}: {problem}", path.display()))?;
        Ok(Some(trainer))
    }
}
