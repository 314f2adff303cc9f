//! Hands out the runs of an experiment one after the other, and writes down what they tell.
//!
//! Repeats are interleaved: every strategy is run once before any is run again, each round beginning with another one, so that a
//! machine that grows slower over the hours is unfair to none.

use anyhow::Result;
use padwise_report::record::{EpochRow, RunProgress, Status, Summary, rows_of};
use padwise_report::report::summary_files;
use tracing::{info, warn};

use crate::experiment::Experiment;
use crate::machine::environment;
use crate::process::protocol::{Event, Job, StopPoint, Task};
use crate::process::{Interrupt, WorkerProcess};
use crate::results_folder::ResultsFolder;
use crate::terminal::Progress;

/// How an experiment ended.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Whether somebody asked it to end.
    pub interrupted: bool,
    /// Where it then was, in words.
    pub place: Option<String>,
    /// Runs that failed, each with the reason.
    pub failed: Vec<String>,
}

/// What a worker reported by its end.
#[derive(Default)]
struct WorkerReport {
    /// Whether its largest batch fitted.
    ready: bool,
    failure: Option<String>,
    stopped: Option<StopPoint>,
}

/// An experiment on its way.
pub struct Coordinator<'a> {
    /// What is run.
    pub experiment: &'a Experiment,
    /// Where it is recorded.
    pub folder: &'a mut ResultsFolder,
    /// What is recorded so far.
    pub epochs: Vec<EpochRow>,
    /// What is shown.
    pub progress: &'a Progress,
    /// Whether to end.
    pub interrupt: &'a Interrupt,
}

impl Coordinator<'_> {
    /// Does every run that is not done.
    pub fn run(&mut self) -> Result<Outcome> {
        let mut outcome = Outcome::default();
        let rows = self.experiment.config.strategy.len();
        for (round, &seed) in self.experiment.config.train.seeds.iter().enumerate() {
            for turn in 0..rows {
                let row = (turn + round) % rows;
                if self.interrupt.asked() {
                    outcome.interrupted = true;
                    return Ok(outcome);
                }
                let progress = self.run_progress(row, seed);
                if !progress.ended {
                    self.run_one(row, seed, &progress, &mut outcome)?;
                    self.summarise()?;
                }
            }
        }
        outcome.interrupted = self.interrupt.asked() && !self.is_complete();
        Ok(outcome)
    }

    /// Epochs of all runs that need no more training.
    pub fn epochs_done(&self) -> u64 {
        let config = &self.experiment.config.train;
        let runs = (0..self.experiment.config.strategy.len())
            .flat_map(|row| config.seeds.iter().map(move |&seed| (row, seed)));
        runs.map(|(row, seed)| {
            let progress = self.run_progress(row, seed);
            if progress.ended {
                config.epochs
            } else {
                progress.epochs_done
            }
        })
        .sum()
    }

    fn is_complete(&self) -> bool {
        let config = &self.experiment.config.train;
        let runs = self.experiment.config.strategy.len() * config.seeds.len();
        self.epochs_done() == config.epochs * runs as u64
    }

    fn run_progress(&self, row: usize, seed: u64) -> RunProgress {
        let config = &self.experiment.config;
        let own = rows_of(&self.epochs, &config.strategy[row].name, seed);
        RunProgress::of(own, config.train.epochs)
    }

    fn run_one(
        &mut self,
        row: usize,
        seed: u64,
        progress: &RunProgress,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let name = self.experiment.config.strategy[row].name.clone();
        info!(
            strategy = name,
            seed,
            from = progress.epochs_done,
            "run begins"
        );
        self.progress.run(&name, seed);
        let job = Job {
            config: self.experiment.config.clone(),
            config_folder: self.experiment.folder.clone(),
            results: self.folder.path().into(),
            row,
            seed,
            done: progress.epochs_done,
            start_loss: progress.start_loss,
            train_seconds: progress.train_seconds,
        };
        let mut worker = WorkerProcess::start(&Task::Train(Box::new(job)), self.interrupt)?;
        let report = self.listen(&mut worker, row, seed);
        self.interrupt.set_worker(None);
        if report.is_err() {
            // What it finds can no longer be written down.
            worker.kill();
        }
        let report = report?;
        // A worker that a Ctrl-C met before it could say anything did not fail.
        let interrupted =
            report.stopped.is_some() || (report.failure.is_none() && self.interrupt.asked());
        let failure = worker.wait(report.failure, interrupted)?;
        outcome.interrupted |= interrupted;
        outcome.place = report.stopped.map(|place| place.describe(&name, seed));
        let progress = self.run_progress(row, seed);
        if progress.ended {
            self.folder.forget_checkpoints(row, seed, None);
        }
        if let Some(mut message) = failure {
            if !report.ready {
                message += &self.experiment.advice(row, seed);
            }
            warn!(strategy = name, seed, message, "run failed");
            let failed = EpochRow {
                strategy: name.clone(),
                seed,
                epoch: progress.epochs_done + 1,
                status: Status::Failed,
                note: message.clone(),
                ..EpochRow::default()
            };
            self.folder.append(&failed)?;
            self.epochs.push(failed);
            outcome
                .failed
                .push(format!("{name}, seed {seed}: {message}"));
        }
        Ok(())
    }

    /// Follows a worker to its end.
    fn listen(
        &mut self,
        worker: &mut WorkerProcess,
        row: usize,
        seed: u64,
    ) -> Result<WorkerReport> {
        let mut report = WorkerReport::default();
        while let Some(event) = worker.next_event() {
            match event {
                Event::Ready {
                    computes,
                    warm_up_seconds,
                } => {
                    report.ready = true;
                    info!(warm_up_seconds, device = computes.device, "ready");
                    self.folder.note_environment(&environment(computes))?;
                }
                Event::Step {
                    epoch,
                    done,
                    batches,
                    rate,
                    loss,
                } => self.progress.step(epoch, done, batches, rate, loss),
                Event::Epoch(epoch) => {
                    info!(
                        epoch = epoch.epoch,
                        status = ?epoch.status,
                        seconds = epoch.train_seconds,
                        loss = epoch.validation_loss,
                        note = epoch.note,
                        "epoch ends"
                    );
                    self.folder.append(&epoch)?;
                    self.folder.forget_checkpoints(row, seed, Some(epoch.epoch));
                    let left = self.experiment.config.train.epochs - epoch.epoch;
                    let skipped = if epoch.is_final() { left } else { 0 };
                    self.progress.epochs_done(1 + skipped);
                    self.epochs.push(*epoch);
                }
                Event::Interrupted(place) => {
                    info!(?place, "run stops");
                    report.stopped = Some(place);
                }
                Event::Failed { message } => report.failure = Some(message),
                Event::Probed { .. } | Event::TooSlow => {}
            }
        }
        Ok(report)
    }

    /// Makes the tables from the recorded epochs.
    pub fn summarise(&self) -> Result<Summary> {
        let experiment = self.experiment;
        let summary = Summary::of(&experiment.config, &self.epochs);
        for (name, content) in summary_files(&summary, &experiment.config.strategy)? {
            self.folder.replace(name, &content)?;
        }
        Ok(summary)
    }
}
