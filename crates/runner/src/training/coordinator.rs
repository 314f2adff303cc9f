//! Hands out the runs of an experiment one after the other, and writes down what they tell.
//!
//! Repeats are interleaved: every strategy is run once before any is run again, each round beginning with another one, so that a
//! machine that grows slower over the hours is unfair to none.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use tracing::{debug, info, warn};

use super::protocol::{Event, Job, STOP};
use crate::experiment::Experiment;
use crate::record::{Environment, EpochRow, Folder, Status, Summary};
use crate::screen::{Progress, table};

/// Lines of a worker's standard error that are kept: a panic's message is among the last.
const LAST_WORDS: usize = 20;

/// How an experiment ended.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Whether somebody asked it to end.
    pub interrupted: bool,
    /// Runs that failed, each with the reason.
    pub failed: Vec<String>,
}

/// A request to end, which finds its way to the worker.
#[derive(Clone, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    worker: Arc<Mutex<Option<ChildStdin>>>,
}

impl Interrupt {
    /// Asks the experiment to end with the batch that is being trained; says whether it had been asked before.
    pub fn ask(&self) -> bool {
        let before = self.asked.swap(true, Ordering::SeqCst);
        self.pass_on();
        before
    }

    fn asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    fn set_worker(&self, stdin: Option<ChildStdin>) {
        *self.worker.lock().unwrap_or_else(PoisonError::into_inner) = stdin;
        if self.asked() {
            self.pass_on();
        }
    }

    fn pass_on(&self) {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stdin) = worker.as_mut() {
            // A worker that is gone needs no telling.
            let _ = writeln!(stdin, "{STOP}").and_then(|()| stdin.flush());
        }
    }
}

/// Where a run stands.
struct Standing {
    done: u64,
    start_loss: Option<f64>,
    train_seconds: f64,
    ended: bool,
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
        let mut worker = Worker::start(&job, self.interrupt)?;
        let told = self.listen(&mut worker, row, seed);
        self.interrupt.set_worker(None);
        if told.is_err() {
            // What it finds can no longer be written down.
            worker.end();
        }
        let (ready, failure, interrupted) = told?;
        let failure = worker.wait(failure, interrupted)?;
        outcome.interrupted |= interrupted;
        let standing = self.standing(row, seed);
        if standing.ended {
            self.folder.forget_checkpoints(row, seed, None);
        }
        if let Some(mut message) = failure {
            if !ready {
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

    /// Follows a worker to its end: whether its largest batch fitted, what went wrong, whether it was interrupted.
    fn listen(
        &mut self,
        worker: &mut Worker,
        row: usize,
        seed: u64,
    ) -> Result<(bool, Option<String>, bool)> {
        let (mut ready, mut failure, mut interrupted) = (false, None, false);
        while let Some(event) = worker.next() {
            match event {
                Event::Ready {
                    computes,
                    warm_up_seconds,
                } => {
                    ready = true;
                    info!(warm_up_seconds, device = computes.device, "ready");
                    self.folder.note_environment(&Environment::here(computes))?;
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
                Event::Interrupted => interrupted = true,
                Event::Failed { message } => failure = Some(message),
            }
        }
        Ok((ready, failure, interrupted))
    }

    /// Makes the tables from the recorded epochs.
    pub fn summarise(&self) -> Result<Summary> {
        let experiment = self.experiment;
        let summary = Summary::of(&experiment.config, &experiment.rows, &self.epochs);
        self.folder.replace("summary.csv", &summary.to_csv()?)?;
        let json = serde_json::to_vec_pretty(&summary.to_json())?;
        self.folder.replace("summary.json", &json)?;
        let markdown = table::for_markdown(&summary, &experiment.rows) + "\n";
        self.folder.replace("table.md", markdown.as_bytes())?;
        Ok(summary)
    }
}

/// A worker and what it says.
struct Worker {
    child: Child,
    events: BufReader<std::process::ChildStdout>,
    last_words: std::thread::JoinHandle<VecDeque<String>>,
}

impl Worker {
    fn start(job: &Job, interrupt: &Interrupt) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program's own file")?;
        let mut child = Command::new(program)
            .arg("worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start a process to train in")?;
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            anyhow::bail!("cannot talk to the process that trains");
        };
        let job = serde_json::to_string(job)?;
        // A worker that cannot even read its job says why when it ends.
        let _ = writeln!(stdin, "{job}").and_then(|()| stdin.flush());
        interrupt.set_worker(Some(stdin));
        Ok(Worker {
            child,
            events: BufReader::new(stdout),
            last_words: std::thread::spawn(move || last_lines(stderr)),
        })
    }

    fn next(&mut self) -> Option<Event> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.events.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match serde_json::from_str(&line) {
                Ok(event) => return Some(event),
                Err(_) => debug!(line = line.trim_end(), "worker says"),
            }
        }
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for its end; why it failed, if it did.
    fn wait(mut self, failure: Option<String>, interrupted: bool) -> Result<Option<String>> {
        let status = self.child.wait()?;
        let last_words = self.last_words.join().unwrap_or_default();
        if failure.is_some() || status.success() || interrupted {
            return Ok(failure);
        }
        let words: Vec<String> = last_words.into();
        let said = if words.is_empty() {
            String::new()
        } else {
            format!(": {}", words.join(" / "))
        };
        Ok(Some(format!(
            "the process that trained it ended with {status}{said}"
        )))
    }
}

fn last_lines(stderr: impl Read) -> VecDeque<String> {
    let mut lines = VecDeque::new();
    for line in BufReader::new(stderr).lines().map_while(|line| line.ok()) {
        debug!(line, "worker says");
        if lines.len() == LAST_WORDS {
            lines.pop_front();
        }
        lines.push_back(line);
    }
    lines
}
