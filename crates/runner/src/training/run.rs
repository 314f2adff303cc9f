//! One run, in a process of its own: epoch by epoch, with a checkpoint after each.
//!
//! A run that is asked to stop keeps what its unfinished epoch has found ([`SoFar`]) and goes on from there another time; on the CPU it
//! ends with the bits of a run that was never stopped.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use padwise_features::normalisation::Statistics;
use padwise_model::Trainer;
use padwise_sampler::{Position, Sampler, Strategy};

use super::divergence::Watch;
use super::epoch::Epoch;
use super::host;
use super::protocol::{Event, Job, Place};
use super::unfinished::SoFar;
use super::validation::Validation;
use super::warm_up;
use super::worker::tell;
use crate::corpora::Split;
use crate::loader::Teach;
use crate::record::{Computes, EpochRow, Folder, Status};

/// Screens need no more than a few updates a second.
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// Trains a run from wherever it stands, to its end or until it is asked to stop.
pub(super) fn work(job: &Job, stop: &AtomicBool) -> Result<()> {
    // An earlier worker of this folder may still be on its way out.
    let lock = File::create(job.results.join("checkpoints").join("lock"))?;
    lock.lock()?;
    let config = &job.config;
    let split = open(job)?;
    let line = config.strategy.get(job.row);
    let line = line.and_then(|row| row.line.clone());
    let strategy: Strategy = line.unwrap_or_default().parse()?;
    let sampler = Sampler::new(strategy, job.seed)?;
    let teach = Teach::from(config.train.objective);
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
    let device_peak_bytes = match config.measure.warm_up_steps {
        0 => None,
        steps => {
            let plan = sampler.plan(split.training.lengths(), job.done)?;
            warm_up::train(trainer(job, &split)?, &split, &plan, teach, steps)?
        }
    };
    let mut trainer = trainer(job, &split)?;
    let mut so_far = load(job, trainer.as_mut())?;
    if so_far.batches == 0 {
        so_far.warm_up_seconds = start.elapsed().as_secs_f64();
    }
    tell(&Event::Ready {
        computes: computes(trainer.as_ref()),
        warm_up_seconds: start.elapsed().as_secs_f64(),
    })?;
    let start_loss = so_far.start_loss.or(job.start_loss);
    let mut watch = Watch::new(config.train.divergence, start_loss);
    let mut train_seconds = job.train_seconds;
    let goes_on = || !stop.load(Ordering::Relaxed);
    for epoch in job.done..config.train.epochs {
        let job = &Job {
            done: epoch,
            ..job.clone()
        };
        let batch = so_far.batches;
        let plan = sampler.resume(split.training.lengths(), Position { epoch, batch })?;
        let mut updated = Instant::now();
        let trained = Epoch {
            split: &split,
            plan: &plan,
            teach,
            threads,
            host_base_bytes,
        }
        .train(trainer.as_mut(), &mut watch, &mut so_far, |progress| {
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
            goes_on()
        })?;
        let Some(mut row) = trained else {
            return stopped(job, trainer.as_ref(), &so_far, plan.len());
        };
        row.strategy = config.strategy[job.row].name.clone().unwrap_or_default();
        row.seed = job.seed;
        row.epoch = epoch + 1;
        row.device_peak_bytes = device_peak_bytes;
        train_seconds += row.train_seconds;
        let is_last = epoch + 1 == config.train.epochs;
        if row.status == Status::Trained {
            if is_last || (epoch + 1).is_multiple_of(config.measure.validate_every) {
                let start = Instant::now();
                if !validation.run(trainer.as_mut(), &mut row, goes_on)? {
                    return stopped(job, trainer.as_ref(), &so_far, plan.len());
                }
                row.validation_seconds = start.elapsed().as_secs_f64();
            }
            if !is_last && is_enough(job, &row, train_seconds) {
                row.status = Status::Stopped;
            }
            let after = Folder::checkpoint(&job.results, job.row, job.seed, epoch + 1);
            trainer.save(&after)?;
        }
        let ends = row.is_final() || is_last;
        tell(&Event::Epoch(Box::new(row)))?;
        if ends {
            break;
        }
        so_far = SoFar::default();
        if !goes_on() {
            return tell(&Event::Interrupted(Place {
                epoch: epoch + 1,
                done: plan.len(),
                batches: plan.len(),
                kept: true,
            }));
        }
    }
    Ok(())
}

/// Keeps what there is of the epoch, and says so.
fn stopped(job: &Job, trainer: &dyn Trainer, so_far: &SoFar, batches: usize) -> Result<()> {
    let kept = so_far.save(trainer, job)?;
    tell(&Event::Interrupted(Place {
        epoch: job.done + 1,
        done: so_far.batches,
        batches,
        kept,
    }))
}

/// Whether a limit of time or of loss is reached.
fn is_enough(job: &Job, row: &EpochRow, train_seconds: f64) -> bool {
    let train = &job.config.train;
    let by_time = train
        .stop_minutes
        .is_some_and(|most| train_seconds / 60.0 >= most);
    let loss = train.stop_loss.zip(row.validation_loss);
    by_time || loss.is_some_and(|(limit, loss)| loss <= limit)
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
    Ok(padwise_model::trainer(train.backend, config)?)
}

/// Brings the model to where the run stands; what is known of the epoch that comes next.
fn load(job: &Job, trainer: &mut dyn Trainer) -> Result<SoFar> {
    if let Some((so_far, checkpoint)) = SoFar::latest(job)? {
        trainer.load(&checkpoint)?;
        return Ok(so_far);
    }
    if job.done > 0 {
        let after = Folder::checkpoint(&job.results, job.row, job.seed, job.done);
        trainer.load(&after)?;
    }
    Ok(SoFar::default())
}

fn computes(trainer: &dyn Trainer) -> Computes {
    let description = trainer.describe();
    Computes {
        backend: description.backend.to_string(),
        device: description.device.clone(),
        recurrence: description.recurrence.clone(),
        precision: description.precision.clone(),
        parameters: description.parameters,
    }
}
