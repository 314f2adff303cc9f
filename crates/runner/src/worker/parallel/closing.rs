//! The leader's work at the end of an epoch: validation, posteriors, the checkpoint and the times of all workers.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Result;
use padwise_model::Trainer;
use padwise_report::record::{EpochRow, Status, WorkersRow};

use super::team::Team;
use super::worker_epoch::{SharedTime, WorkerEpoch};
use crate::experiment::Experiment;
use crate::process::protocol::{Event, Job};
use crate::worker::best_epoch::BestModel;
use crate::worker::run;
use crate::worker::validation::ValidationPass;

/// The times of all workers in an epoch.
pub(super) fn worker_times(
    row: &EpochRow,
    workers: &[WorkerEpoch],
    time: SharedTime,
) -> WorkersRow {
    let seconds: Vec<f64> = workers.iter().map(|worker| worker.seconds).collect();
    let averaging = time.averaging.as_secs_f64();
    let slowest = seconds.iter().copied().fold(0.0, f64::max);
    WorkersRow {
        strategy: row.strategy.clone(),
        seed: row.seed,
        epoch: row.epoch,
        workers: workers.len() as u64,
        worker_seconds: seconds,
        averaging_seconds: averaging,
        waiting_seconds: (row.train_seconds - slowest - averaging).max(0.0),
        repeated: workers.iter().map(|worker| worker.repeated).sum(),
        dropped: workers.iter().map(|worker| worker.left_out).sum(),
    }
}

/// The leader's work at the end of an epoch: validation, posteriors and the checkpoint.
pub(super) struct Closing<'a> {
    pub job: &'a Job,
    pub experiment: &'a Experiment,
    pub validation: &'a ValidationPass<'a>,
    pub stop: &'a AtomicBool,
    pub train_seconds: f64,
}

impl Closing<'_> {
    /// Completes the row and saves. Returns false if the user asked to stop.
    pub(super) fn close(
        &self,
        trainer: &mut dyn Trainer,
        best: &mut BestModel<'_>,
        team: &mut Team,
        row: &mut EpochRow,
        times: WorkersRow,
    ) -> Result<bool> {
        Event::Workers(Box::new(times.clone())).send()?;
        if row.status != Status::Trained {
            return Ok(true);
        }
        let config = &self.job.config;
        let failed = RefCell::new(None);
        let team = RefCell::new(team);
        let should_continue = || {
            let alive = team.borrow_mut().alive();
            let is_alive = alive.is_ok();
            if let Err(error) = alive {
                failed.replace(Some(error));
            }
            is_alive && !self.stop.load(Ordering::Relaxed)
        };
        let is_last = row.epoch == config.train.epochs;
        let mut finished = true;
        if is_last || row.epoch.is_multiple_of(config.measure.validate_every) {
            let start = Instant::now();
            finished = self.validation.run(trainer, row, should_continue)?;
            row.validation_seconds = start.elapsed().as_secs_f64();
            if finished {
                best.note(row);
            }
        }
        let is_enough =
            run::is_enough(self.job, row, self.train_seconds) || best.is_over(row.epoch);
        if finished && !is_last && is_enough {
            row.status = Status::Stopped;
        }
        if finished && (is_last || row.is_final()) {
            let (job, experiment) = (self.job, self.experiment);
            finished = run::write_posteriors(
                job,
                experiment,
                trainer,
                (best, row.epoch),
                should_continue,
            )?;
        }
        if let Some(error) = failed.into_inner() {
            return Err(error.into());
        }
        if finished {
            best.save(trainer, row, Some(times))?;
        }
        Ok(finished)
    }
}
