//! The epoch with the lowest validation loss, whose model is the result of a run with `train.patience`.
//!
//! The model of that epoch is kept under a second name until the run ends. Posteriors for word error rates come from it. It is written
//! before the epoch's checkpoint, and an earlier one is removed after it, so a killed run finds the one that its rows name.

use anyhow::{Context, Result};
use padwise_model::Trainer;
use padwise_report::record::{BestEpoch, EpochRow, WorkersRow};

use super::run;
use crate::checkpoints::{self, CheckpointTag, Position};
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
        let patience = job.config.train.patience;
        BestModel {
            job,
            patience,
            best: job.best.filter(|_| patience.is_some()),
        }
    }

    /// Takes note of a validated epoch.
    pub fn note(&mut self, row: &EpochRow) {
        if self.patience.is_some() {
            BestEpoch::improve(&mut self.best, row);
        }
    }

    /// Saves the model at the end of an epoch, together with the epoch's row and the times of its workers. The best model so far is
    /// kept, and earlier ones are removed.
    pub fn save(
        &self,
        trainer: &dyn Trainer,
        row: &EpochRow,
        times: Option<WorkersRow>,
    ) -> Result<()> {
        let position = Position {
            epoch: row.epoch,
            batch: None,
        };
        let tag = CheckpointTag {
            run: self.job.run.clone(),
            position,
            row: Some(Box::new(row.clone())),
            times: times.map(Box::new),
            progress: None,
        };
        let (tag, run, results) = (tag.to_text()?, &self.job.run, &self.job.results);
        let path = run.checkpoint(results, position);
        let Some(best) = self.best else {
            return Ok(trainer.save(&path, &tag)?);
        };
        let kept = run.best_checkpoint(results, best.epoch);
        if best.epoch == row.epoch {
            trainer.save(&kept, &tag)?;
        }
        // The file of the best model is also the epoch's checkpoint, unless the file system has no links.
        if best.epoch != row.epoch || checkpoints::link(&kept, &path).is_err() {
            trainer.save(&path, &tag)?;
        }
        run.remove_best_checkpoints(results, Some(best.epoch));
        Ok(())
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
