//! A worker: the process that trains one run. It reads its job from standard input, tells what happens on standard output, and
//! keeps a checkpoint after every epoch.
//!
//! It ends with the batch when it is told to stop, and at once when standard input ends: then whoever started it is gone, and
//! nobody would write down what it finds.

use std::fs::File;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use padwise_features::normalisation::Statistics;
use padwise_model::Trainer;
use padwise_sampler::{Sampler, Strategy};

use super::divergence::Watch;
use super::epoch::Epoch;
use super::host;
use super::protocol::{Event, Job, STOP};
use super::validation::Validation;
use crate::config::ObjectiveName;
use crate::corpora::Split;
use crate::loader::{Teach, assemble};
use crate::record::{Computes, Folder, Status};

/// Screens need no more than a few updates a second.
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// Reads a job and does it. What goes wrong is told to the coordinator, too.
pub fn main() -> Result<()> {
    // The terminal tells every process of a Ctrl-C; only the coordinator answers.
    let _ = ctrlc::set_handler(|| {});
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let job: Job = serde_json::from_str(&line).context("this is a part of `padwise run`")?;
    let stop = watch_standard_input();
    let ended = work(&job, &stop);
    if let Err(error) = &ended {
        tell(&Event::Failed {
            message: format!("{error:#}"),
        })?;
    }
    ended
}

fn watch_standard_input() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if line.is_ok_and(|line| line.trim() == STOP) {
                flag.store(true, Ordering::Relaxed);
            }
        }
        std::process::exit(3);
    });
    stop
}

fn tell(event: &Event) -> Result<()> {
    let line = serde_json::to_string(event)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

fn work(job: &Job, stop: &AtomicBool) -> Result<()> {
    // An earlier worker of this folder may still be on its way out.
    let lock = File::create(job.results.join("checkpoints").join("lock"))?;
    lock.lock()?;
    let config = &job.config;
    let split = open(job)?;
    let line = config
        .strategy
        .get(job.row)
        .and_then(|row| row.line.clone());
    let strategy: Strategy = line.unwrap_or_default().parse()?;
    let sampler = Sampler::new(strategy, job.seed)?;
    let teach = match config.train.objective {
        ObjectiveName::FrameWise => Teach::Frames,
        ObjectiveName::Ctc => Teach::Sequences,
    };
    let threads = config.train.loader_threads();
    let validation = Validation::new(
        &split,
        config.measure.validation_batch,
        teach,
        threads,
        config.measure.sequence_errors,
    )?;
    let host_base_bytes = host::resident_bytes();
    let start = Instant::now();
    let device_peak_bytes = warm_up(job, &split, &sampler, teach)?;
    let mut trainer = trainer(job, &split)?;
    if job.done > 0 {
        trainer.load(&Folder::checkpoint(
            &job.results,
            job.row,
            job.seed,
            job.done,
        ))?;
    }
    let mut warm_up_seconds = start.elapsed().as_secs_f64();
    tell(&Event::Ready {
        computes: computes(trainer.as_ref()),
        warm_up_seconds,
    })?;
    let mut watch = Watch::new(config.train.divergence, job.start_loss);
    let mut train_seconds = job.train_seconds;
    for epoch in job.done..config.train.epochs {
        let plan = sampler.plan(split.training.lengths(), epoch)?;
        let mut updated = Instant::now();
        let trained = Epoch {
            split: &split,
            plan: &plan,
            teach,
            threads,
        }
        .train(trainer.as_mut(), &mut watch, |progress| {
            if updated.elapsed() >= BETWEEN_UPDATES {
                updated = Instant::now();
                // A coordinator that is gone is noticed elsewhere.
                let _ = tell(&Event::Step {
                    epoch: epoch + 1,
                    done: progress.done,
                    batches: progress.batches,
                    rate: progress.rate,
                    loss: progress.loss,
                });
            }
            !stop.load(Ordering::Relaxed)
        })?;
        let Some(mut row) = trained else {
            return tell(&Event::Interrupted);
        };
        row.strategy = config.strategy[job.row].name.clone().unwrap_or_default();
        row.seed = job.seed;
        row.epoch = epoch + 1;
        row.warm_up_seconds = std::mem::take(&mut warm_up_seconds);
        row.host_base_bytes = host_base_bytes;
        row.device_peak_bytes = device_peak_bytes;
        train_seconds += row.train_seconds;
        let is_last = epoch + 1 == config.train.epochs;
        if row.status == Status::Trained {
            if is_last || (epoch + 1).is_multiple_of(config.measure.validate_every) {
                let start = Instant::now();
                validation.run(trainer.as_mut(), &mut row)?;
                row.validation_seconds = start.elapsed().as_secs_f64();
            }
            let reached = |limit: Option<f64>, value: Option<f64>, below: bool| {
                limit.zip(value).is_some_and(|(limit, value)| {
                    if below {
                        value <= limit
                    } else {
                        value >= limit
                    }
                })
            };
            let minutes = Some(train_seconds / 60.0);
            if !is_last
                && (reached(config.train.stop_minutes, minutes, false)
                    || reached(config.train.stop_loss, row.validation_loss, true))
            {
                row.status = Status::Stopped;
            }
            trainer.save(&Folder::checkpoint(
                &job.results,
                job.row,
                job.seed,
                epoch + 1,
            ))?;
        }
        let ends = row.is_final();
        tell(&Event::Epoch(Box::new(row)))?;
        if ends {
            break;
        }
        if stop.load(Ordering::Relaxed) && !is_last {
            return tell(&Event::Interrupted);
        }
    }
    Ok(())
}

fn open(job: &Job) -> Result<Split> {
    let split = Split::open(&job.config.corpus, &job.config_folder)?;
    let path = job.results.join("normalisation.json");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let statistics: Statistics = serde_json::from_str(&text)
        .with_context(|| format!("cannot understand {}", path.display()))?;
    Ok(split.normalised(statistics, job.config.holds_corpus())?)
}

fn trainer(job: &Job, split: &Split) -> Result<Box<dyn Trainer>> {
    let train = &job.config.train;
    let corpus = &split.training;
    let config = train.trainer(
        &job.config.model,
        corpus.dims(),
        corpus.classes().unwrap_or(0),
        job.seed,
    );
    Ok(train.backend.trainer(config)?)
}

/// Trains on the next epoch's largest batch with a model that is then thrown away: everything gets compiled, and a batch that does
/// not fit is found before the first is trained. Gives the most memory that the device had in use, which is watched here because
/// watching takes time.
fn warm_up(job: &Job, split: &Split, sampler: &Sampler, teach: Teach) -> Result<Option<u64>> {
    let steps = job.config.measure.warm_up_steps;
    let plan = sampler.plan(split.training.lengths(), job.done)?;
    let Some(worst) = plan.worst_batch().filter(|_| steps > 0) else {
        return Ok(None);
    };
    let mut trainer = trainer(job, split)?;
    trainer.watch_memory(true);
    for _ in 0..steps {
        trainer.step(assemble(split.training.as_ref(), &worst, teach)?)?;
    }
    trainer.take_losses()?;
    trainer.synchronise()?;
    Ok(trainer.memory().and_then(|memory| memory.peak))
}

fn computes(trainer: &dyn Trainer) -> Computes {
    let description = trainer.describe();
    Computes {
        backend: description.backend.into(),
        device: description.device.clone(),
        recurrence: description.recurrence.clone(),
        precision: description.precision.clone(),
        parameters: description.parameters,
    }
}
