//! Trains one run, epoch by epoch, with a checkpoint after each.
//!
//! On a stop request it saves the state of the unfinished epoch ([`EpochProgress`]), and resuming continues there. On the CPU a resumed
//! run gives bit-identical results to an uninterrupted one.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use padwise_experiment_config::Row;
use padwise_features::normalisation::Statistics;
use padwise_model::{Trainer, backend};
use padwise_report::record::{Computes, EpochRow, Status};
use padwise_sampler::{Position, Sampler};

use super::divergence::DivergenceDetector;
use super::epoch::Epoch;
use super::epoch_progress::EpochProgress;
use super::validation::ValidationPass;
use super::warm_up;
use crate::experiment::Experiment;
use crate::machine::host;
use crate::process::protocol::{Event, Job, StopPoint};
use crate::results_folder::ResultsFolder;

/// Minimum time between two progress updates.
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// Trains a run, new or resumed, until it ends or is asked to stop.
pub(super) fn train(job: &Job, stop: &AtomicBool) -> Result<()> {
    // Wait for an earlier worker in this folder that is still exiting.
    let lock = File::create(job.results.join("checkpoints").join("lock"))?;
    lock.lock()?;
    let config = &job.config;
    let experiment = open(job)?;
    let split = &experiment.split;
    let objective = config.train.objective;
    let Some(Row { name, strategy, .. }) = config.strategy.get(job.row) else {
        anyhow::bail!("the config has no strategy number {}", job.row);
    };
    let sampler = Sampler::new(strategy.clone(), job.seed)?;
    let validation = ValidationPass::new(&experiment)?;
    let host_base_bytes = host::resident_bytes();
    let start = Instant::now();
    let device_peak_bytes = match config.measure.warm_up_steps {
        0 => None,
        steps => {
            let plan = sampler.plan(split.training.lengths(), job.done)?;
            let trainer = trainer(&experiment, job.seed)?;
            warm_up::train(trainer, split, &plan, objective, steps)?
        }
    };
    let mut trainer = trainer(&experiment, job.seed)?;
    let mut progress = load(job, trainer.as_mut())?;
    if progress.batches == 0 {
        progress.warm_up_seconds = start.elapsed().as_secs_f64();
    }
    Event::Ready {
        computes: computes(trainer.as_ref()),
        warm_up_seconds: start.elapsed().as_secs_f64(),
    }
    .send()?;
    let start_loss = progress.start_loss.or(job.start_loss);
    let mut detector = DivergenceDetector::new(config.train.divergence, start_loss);
    let mut train_seconds = job.train_seconds;
    let should_continue = || !stop.load(Ordering::Relaxed);
    for epoch in job.done..config.train.epochs {
        let job = &Job {
            done: epoch,
            ..job.clone()
        };
        let batch = progress.batches;
        let plan = sampler.resume(split.training.lengths(), Position { epoch, batch })?;
        let mut updated = Instant::now();
        let trained = Epoch {
            split,
            plan: &plan,
            objective,
            threads: config.train.loader_threads(),
            host_base_bytes,
        }
        .train(trainer.as_mut(), &mut detector, &mut progress, |rate| {
            if updated.elapsed() >= BETWEEN_UPDATES {
                updated = Instant::now();
                // If the coordinator is gone, standard input closes and the process exits.
                let _ = Event::Step {
                    epoch: epoch + 1,
                    done: rate.done,
                    batches: rate.batches,
                    rate: rate.rate,
                    loss: rate.loss,
                }
                .send();
            }
            should_continue()
        })?;
        let Some(mut row) = trained else {
            return stopped(job, trainer.as_ref(), &progress, plan.len());
        };
        row.strategy = name.clone();
        row.seed = job.seed;
        row.epoch = epoch + 1;
        row.device_peak_bytes = device_peak_bytes;
        train_seconds += row.train_seconds;
        let is_last = epoch + 1 == config.train.epochs;
        if row.status == Status::Trained {
            if is_last || (epoch + 1).is_multiple_of(config.measure.validate_every) {
                let start = Instant::now();
                if !validation.run(trainer.as_mut(), &mut row, should_continue)? {
                    return stopped(job, trainer.as_ref(), &progress, plan.len());
                }
                row.validation_seconds = start.elapsed().as_secs_f64();
            }
            if !is_last && is_enough(job, &row, train_seconds) {
                row.status = Status::Stopped;
            }
            let after = ResultsFolder::checkpoint(&job.results, job.row, job.seed, epoch + 1);
            trainer.save(&after)?;
        }
        let ends = row.is_final() || is_last;
        Event::Epoch(Box::new(row)).send()?;
        if ends {
            break;
        }
        progress = EpochProgress::default();
        if !should_continue() {
            return Event::Interrupted(StopPoint {
                epoch: epoch + 1,
                done: plan.len(),
                batches: plan.len(),
                kept: true,
            })
            .send();
        }
    }
    Ok(())
}

/// Saves the state of the unfinished epoch and reports it.
fn stopped(
    job: &Job,
    trainer: &dyn Trainer,
    progress: &EpochProgress,
    batches: usize,
) -> Result<()> {
    let kept = progress.save(trainer, job)?;
    Event::Interrupted(StopPoint {
        epoch: job.done + 1,
        done: progress.batches,
        batches,
        kept,
    })
    .send()
}

/// Whether `stop-minutes` or `stop-loss` is reached.
fn is_enough(job: &Job, row: &EpochRow, train_seconds: f64) -> bool {
    let train = &job.config.train;
    let by_time = train
        .stop_minutes
        .is_some_and(|most| train_seconds / 60.0 >= most);
    let loss = train.stop_loss.zip(row.validation_loss);
    by_time || loss.is_some_and(|(limit, loss)| loss <= limit)
}

fn open(job: &Job) -> Result<Experiment> {
    let experiment = Experiment::open(job.config.clone(), &job.config_folder)?;
    let path = job.results.join("normalisation.json");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let statistics: Statistics =
        serde_json::from_str(&text).with_context(|| format!("cannot parse {}", path.display()))?;
    Ok(experiment.normalised(statistics)?)
}

fn trainer(experiment: &Experiment, seed: u64) -> Result<Box<dyn Trainer>> {
    let choice = experiment.config.train.backend;
    Ok(backend::trainer(choice, experiment.trainer(seed))?)
}

/// Loads the latest checkpoint; returns the saved progress of the next epoch.
fn load(job: &Job, trainer: &mut dyn Trainer) -> Result<EpochProgress> {
    if let Some((progress, checkpoint)) = EpochProgress::latest(job)? {
        trainer.load(&checkpoint)?;
        return Ok(progress);
    }
    if job.done > 0 {
        let after = ResultsFolder::checkpoint(&job.results, job.row, job.seed, job.done);
        trainer.load(&after)?;
    }
    Ok(EpochProgress::default())
}

fn computes(trainer: &dyn Trainer) -> Computes {
    let description = trainer.describe();
    Computes {
        backend: description.backend.name().into(),
        device: description.device.clone(),
        recurrence: description.recurrence.clone(),
        precision: description.precision.clone(),
        parameters: description.parameters,
    }
}
