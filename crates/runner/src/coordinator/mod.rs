//! Runs an experiment: starts one worker process per run and records its results.
//!
//! Seeds are interleaved: every strategy runs with one seed before any runs with the next, and each round starts with another
//! strategy. If the machine slows down over hours, all strategies are affected equally.

mod identify;
mod restore;
mod words;

use std::time::Duration;

use anyhow::Result;
use padwise_report::record::{EpochRow, RunProgress, Status, Summary, rows_of};
use padwise_report::report::summary_files;
use tracing::{info, warn};

pub use identify::identify;
pub use words::WordDecoding;

use crate::checkpoints::{Position, RunId};
use crate::experiment::Experiment;
use crate::machine::environment;
use crate::process::protocol::{Event, Job, StopPoint, Task};
use crate::process::{Interrupt, WorkerProcess};
use crate::results_folder::{Identity, ResultsFolder};
use crate::terminal::Progress;

/// How an experiment ended.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Whether the user interrupted it.
    pub interrupted: bool,
    /// The point at which it was interrupted, for messages.
    pub place: Option<String>,
    /// The failed runs, each with its reason.
    pub failed: Vec<String>,
}

/// What a worker reported before it ended.
#[derive(Default)]
struct WorkerReport {
    /// Whether warm-up finished, so the largest batch fits.
    ready: bool,
    failure: Option<String>,
    interrupted: bool,
    stopped: Option<StopPoint>,
}

/// An experiment in progress.
pub struct Coordinator<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// The folder that it is recorded in.
    pub folder: &'a mut ResultsFolder,
    /// What the experiment depends on.
    pub identity: Identity,
    /// Whether the corpus files were verified.
    pub verified: bool,
    /// The epochs recorded so far.
    pub epochs: Vec<EpochRow>,
    /// The progress bars or lines.
    pub progress: &'a Progress,
    /// The user's request to stop.
    pub interrupt: &'a Interrupt,
    /// Decoding of words, if the config asks for it.
    pub words: Option<WordDecoding>,
}

impl Coordinator<'_> {
    /// Trains every run that is not finished.
    pub fn run(&mut self) -> Result<Outcome> {
        let mut outcome = Outcome::default();
        self.remove_finished_checkpoints();
        self.queue_earlier_runs()?;
        let rows = self.experiment.config.strategy.len();
        for (round, &seed) in self.experiment.config.train.seeds.iter().enumerate() {
            for turn in 0..rows {
                let row = (turn + round) % rows;
                if self.interrupt.asked() {
                    outcome.interrupted = true;
                    return Ok(outcome);
                }
                if self.run_progress(row, seed).ended {
                    continue;
                }
                let start = self.restore(row, seed)?;
                // A restored row may be the last one.
                if self.run_progress(row, seed).ended {
                    let run = self.run_id(row, seed);
                    run.remove_checkpoints(self.folder.path(), None);
                } else {
                    self.wait_for_words(&mut outcome)?;
                    self.run_one(row, seed, start, &mut outcome)?;
                }
                self.queue_words(row, seed)?;
                self.wait_for_words(&mut outcome)?;
                self.summarise()?;
            }
        }
        self.record_words(0, &mut outcome)?;
        let is_complete = self.is_complete() && !self.words_are_waiting();
        outcome.interrupted = self.interrupt.asked() && !is_complete;
        Ok(outcome)
    }

    /// The number of epochs that need no more training, over all runs.
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

    /// The run of a strategy and seed.
    fn run_id(&self, row: usize, seed: u64) -> RunId {
        RunId {
            experiment: self.identity.id(),
            row,
            seed,
        }
    }

    /// Removes checkpoints that a process left behind when it was killed right after the last epoch of a run.
    fn remove_finished_checkpoints(&self) {
        let config = &self.experiment.config;
        for row in 0..config.strategy.len() {
            for &seed in &config.train.seeds {
                if self.run_progress(row, seed).ended {
                    let run = self.run_id(row, seed);
                    run.remove_checkpoints(self.folder.path(), None);
                }
            }
        }
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
        start: Position,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let progress = self.run_progress(row, seed);
        let run = self.run_id(row, seed);
        let name = self.experiment.config.strategy[row].name.clone();
        info!(
            strategy = name,
            seed,
            from = progress.epochs_done,
            "run started"
        );
        self.progress
            .run(&name, seed, start.batch.unwrap_or(0) as u64);
        let job = Job {
            config: self.experiment.config.clone(),
            config_folder: self.experiment.folder.clone(),
            results: self.folder.path().into(),
            identity: self.identity.clone(),
            run: run.clone(),
            start,
            start_loss: progress.start_loss,
            train_seconds: progress.train_seconds,
            validation_losses: rows_of(&self.epochs, &name, seed)
                .filter_map(|row| row.validation_loss)
                .collect(),
            best: progress.best,
            posteriors: self.posterior_task(),
        };
        let deadline = job.deadline()?;
        let mut worker = WorkerProcess::start(&Task::Train(Box::new(job)), self.interrupt)?;
        let report = self.listen(&mut worker, &run, deadline);
        self.interrupt.set_worker(None);
        if report.is_err() {
            // Its results can no longer be recorded.
            worker.kill();
        }
        let report = report?;
        // A worker that Ctrl-C ended before its first report did not fail.
        let interrupted =
            report.interrupted || (report.failure.is_none() && self.interrupt.asked());
        let failure = worker.wait(report.failure, interrupted)?;
        outcome.interrupted |= interrupted;
        outcome.place = report.stopped.map(|place| place.describe(&name, seed));
        let progress = self.run_progress(row, seed);
        if progress.ended {
            run.remove_checkpoints(self.folder.path(), None);
        }
        // A worker that dies after its last epoch has lost nothing.
        if let Some(mut message) = failure.filter(|_| !progress.ended) {
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

    /// Handles a worker's events until it ends. After the last epoch, several processes must end within the deadline.
    fn listen(
        &mut self,
        worker: &mut WorkerProcess,
        run: &RunId,
        deadline: Option<Duration>,
    ) -> Result<WorkerReport> {
        let mut report = WorkerReport::default();
        while let Some(event) = worker.next_event() {
            match event {
                Event::Ready {
                    computes,
                    warm_up_seconds,
                } => {
                    report.ready = true;
                    if let Some(words) = &mut self.words {
                        words.on_cpu = computes.backend == "cpu";
                    }
                    self.progress.warmed_up();
                    info!(
                        warm_up_seconds,
                        device = computes.device,
                        "warm-up finished"
                    );
                    let environment = environment(computes, self.verified);
                    self.folder.note_environment(&environment)?;
                }
                Event::Step {
                    epoch,
                    done,
                    batches,
                    rate,
                    loss,
                } => self.progress.step(epoch, done, batches, rate, loss),
                Event::Workers(times) => self.folder.append_worker_times(&times)?,
                Event::Epoch(epoch) => {
                    info!(
                        epoch = epoch.epoch,
                        status = ?epoch.status,
                        seconds = epoch.train_seconds,
                        loss = epoch.validation_loss,
                        note = epoch.note,
                        "epoch finished"
                    );
                    self.folder.append(&epoch)?;
                    run.remove_checkpoints(self.folder.path(), Some(epoch.epoch));
                    let left = self.experiment.config.train.epochs - epoch.epoch;
                    let skipped = if epoch.is_final() { left } else { 0 };
                    if let Some(limit) = deadline.filter(|_| left == skipped) {
                        worker.end_within(limit);
                    }
                    self.progress.end_epoch(skipped);
                    self.epochs.push(*epoch);
                }
                Event::Interrupted(place) => {
                    info!(?place, "run interrupted");
                    report.interrupted = true;
                    report.stopped = place;
                }
                Event::Waiting => {
                    let folder = self.folder.path().display();
                    self.say(&format!(
                        "waiting for an earlier worker process in {folder} to exit; Ctrl-C stops"
                    ));
                }
                // The first of several workers to fail has the cause. A stopped one wakes up when it is ended, and blames others.
                Event::Failed { message } => {
                    report.failure.get_or_insert(message);
                }
                Event::Alive | Event::Probed { .. } | Event::TooSlow => {}
            }
        }
        Ok(report)
    }

    /// Writes the summary tables of the recorded epochs.
    pub fn summarise(&self) -> Result<Summary> {
        let experiment = self.experiment;
        let words = self.folder.words(&experiment.config, &self.epochs)?;
        let summary = Summary::of(&experiment.config, &self.epochs, &words);
        for (name, content) in summary_files(&summary, &experiment.config.strategy)? {
            self.folder.replace(name, &content)?;
        }
        Ok(summary)
    }
}
