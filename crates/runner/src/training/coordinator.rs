//! Hands out the runs of an experiment one after the other, and writes down what they tell.
//!
//! Repeats are interleaved: every strategy is run once before any is run again, each round beginning with another one, so that a
//! machine that grows slower over the hours is unfair to none.

use anyhow::Result;
use tracing::{info, warn};

use super::process::{Interrupt, Worker};
use super::protocol::{Event, Job, Place, Task};
use crate::experiment::Experiment;
use crate::record::{EpochRow, Folder, Status, Summary, environment};
use crate::screen::Progress;

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

/// Where a run stands.
struct Standing {
    done: u64,
    start_loss: Option<f64>,
    train_seconds: f64,
    ended: bool,
}

/// What a worker told.
#[derive(Default)]
struct Told {
    /// Whether its largest batch fitted.
    ready: bool,
    failure: Option<String>,
    stopped: Option<Place>,
}

/// An experiment on its way.
pub struct Coordinator<'a> {
    /// What is run.
    pub experiment: &'a Experiment,
    /// Where it is recorded.
    pub folder: &'a mut Folder,
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
        let rows = self.experiment.rows.len();
        for (round, &seed) in self.experiment.config.train.seeds.iter().enumerate() {
            for turn in 0..rows {
                let row = (turn + round) % rows;
                if self.interrupt.asked() {
                    outcome.interrupted = true;
                    return Ok(outcome);
                }
                let standing = self.standing(row, seed);
                if !standing.ended {
                    self.run_one(row, seed, &standing, &mut outcome)?;
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
        let runs = (0..self.experiment.rows.len())
            .flat_map(|row| config.seeds.iter().map(move |&seed| (row, seed)));
        runs.map(|(row, seed)| {
            let standing = self.standing(row, seed);
            if standing.ended {
                config.epochs
            } else {
                standing.done
            }
        })
        .sum()
    }

    fn is_complete(&self) -> bool {
        let config = &self.experiment.config.train;
        let runs = self.experiment.rows.len() * config.seeds.len();
        self.epochs_done() == config.epochs * runs as u64
    }

    fn standing(&self, row: usize, seed: u64) -> Standing {
        let name = &self.experiment.rows[row].name;
        let own = self
            .epochs
            .iter()
            .filter(|epoch| epoch.strategy == *name && epoch.seed == seed);
        let done: Vec<&EpochRow> = own.clone().filter(|epoch| epoch.is_complete()).collect();
        Standing {
            done: done.len() as u64,
            start_loss: done.first().and_then(|epoch| epoch.start_loss),
            train_seconds: done.iter().map(|epoch| epoch.train_seconds).sum(),
            ended: done.len() as u64 >= self.experiment.config.train.epochs
                || own.clone().any(EpochRow::is_final),
        }
    }

    fn run_one(
        &mut self,
        row: usize,
        seed: u64,
        standing: &Standing,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let name = self.experiment.rows[row].name.clone();
        info!(strategy = name, seed, from = standing.done, "run begins");
        self.progress.run(&name, seed);
        let job = Job {
            config: self.experiment.config.clone(),
            config_folder: self.experiment.folder.clone(),
            results: self.folder.path().into(),
            row,
            seed,
            done: standing.done,
            start_loss: standing.start_loss,
            train_seconds: standing.train_seconds,
        };
        let mut worker = Worker::start(&Task::Train(Box::new(job)), self.interrupt)?;
        let told = self.listen(&mut worker, row, seed);
        self.interrupt.set_worker(None);
        if told.is_err() {
            // What it finds can no longer be written down.
            worker.end();
        }
        let told = told?;
        // A worker that a Ctrl-C met before it could say anything did not fail.
        let interrupted =
            told.stopped.is_some() || (told.failure.is_none() && self.interrupt.asked());
        let failure = worker.wait(told.failure, interrupted)?;
        outcome.interrupted |= interrupted;
        outcome.place = told.stopped.map(|place| place.words(&name, seed));
        let standing = self.standing(row, seed);
        if standing.ended {
            self.folder.forget_checkpoints(row, seed, None);
        }
        if let Some(mut message) = failure {
            if !told.ready {
                message += &self.experiment.advice(row, seed);
            }
            warn!(strategy = name, seed, message, "run failed");
            let failed = EpochRow {
                strategy: name.clone(),
                seed,
                epoch: standing.done + 1,
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
    fn listen(&mut self, worker: &mut Worker, row: usize, seed: u64) -> Result<Told> {
        let mut told = Told::default();
        while let Some(event) = worker.next() {
            match event {
                Event::Ready {
                    computes,
                    warm_up_seconds,
                } => {
                    told.ready = true;
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
                    told.stopped = Some(place);
                }
                Event::Failed { message } => told.failure = Some(message),
                Event::Probed { .. } | Event::TooSlow => {}
            }
        }
        Ok(told)
    }

    /// Makes the tables from the recorded epochs.
    pub fn summarise(&self) -> Result<Summary> {
        let experiment = self.experiment;
        let summary = Summary::of(&experiment.config.outline(&experiment.rows), &self.epochs);
        for (name, content) in padwise_report::report::summary_files(&summary, &experiment.rows)? {
            self.folder.replace(name, &content)?;
        }
        Ok(summary)
    }
}
