//! Trains one run, epoch by epoch, with a checkpoint after each.
//!
//! On a stop request it saves the state of the unfinished epoch ([`EpochProgress`]), and resuming continues there. On the CPU a resumed
//! run gives bit-identical results to an uninterrupted one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};
use padwise_experiment_config::Row;
use padwise_features::normalisation::Statistics;
use padwise_model::{Trainer, backend};
use padwise_report::record::{Computes, EpochRow, Status};
use padwise_sampler::{Position, Sampler};

use super::best_epoch::BestModel;
use super::divergence::DivergenceDetector;
use super::epoch::Epoch;
use super::folder_lock;
use super::step_reporter::StepReporter;
use super::validation::ValidationPass;
use super::warm_up;
use crate::checkpoints::{self, CheckpointTag, EpochProgress, RunId};
use crate::experiment::Experiment;
use crate::machine::host;
use crate::process::protocol::{Event, Job, StopPoint};
use crate::results_folder::read_states;
use crate::words::posteriors::{self, PosteriorWriter};

/// Trains a run, new or resumed, until it ends or is asked to stop.
pub(super) fn train(job: &Job, stop: &AtomicBool) -> Result<()> {
    let Some(_lock) = folder_lock::lock(&job.results, 0, stop)? else {
        return Event::Interrupted(None).send();
    };
    let config = &job.config;
    let experiment = open(job)?;
    let split = &experiment.split;
    let Some(Row { name, strategy, .. }) = config.strategy.get(job.run.row) else {
        anyhow::bail!("the config has no strategy number {}", job.run.row);
    };
    let sampler = Sampler::new(strategy.clone(), job.run.seed)?;
    let validation = ValidationPass::new(&experiment)?;
    let host_base_bytes = host::resident_bytes();
    let start = Instant::now();
    let device_peak_bytes = match config.measure.warm_up_steps {
        0 => None,
        steps => {
            let plan = sampler.plan(split.training.lengths(), job.start.epoch)?;
            let trainer = trainer(&experiment, &job.run)?;
            let corpus = split.training.as_ref();
            let padding = job.config.model.padding;
            warm_up::train(trainer, corpus, split.supervision, &plan, padding, steps)?
        }
    };
    let mut trainer = trainer(&experiment, &job.run)?;
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
    let mut losses = job.validation_losses.clone();
    let mut train_seconds = job.train_seconds;
    let should_continue = || !stop.load(Ordering::Relaxed);
    let mut reporter = StepReporter::new(stop);
    let mut best = BestModel::new(job);
    for epoch in job.start.epoch..config.train.epochs {
        let batch = progress.batches;
        let plan = sampler.resume(split.training.lengths(), Position { epoch, batch })?;
        let trained = Epoch {
            corpus: split.training.as_ref(),
            supervision: split.supervision,
            plan: &plan,
            threads: config.train.loader_threads(),
            rate_factor: config.train.schedule.factor(epoch, &losses),
            host_base_bytes,
        }
        .train(trainer.as_mut(), &mut detector, &mut progress, |rate| {
            reporter.step(epoch, rate)
        })?;
        let Some(mut row) = trained else {
            return stopped(job, epoch, trainer.as_ref(), &progress, plan.len());
        };
        row.strategy = name.clone();
        row.seed = job.run.seed;
        row.epoch = epoch + 1;
        row.device_peak_bytes = device_peak_bytes;
        train_seconds += row.train_seconds;
        let is_last = epoch + 1 == config.train.epochs;
        if row.status == Status::Trained {
            if is_last || (epoch + 1).is_multiple_of(config.measure.validate_every) {
                let start = Instant::now();
                if !validation.run(trainer.as_mut(), &mut row, should_continue)? {
                    return stopped(job, epoch, trainer.as_ref(), &progress, plan.len());
                }
                row.validation_seconds = start.elapsed().as_secs_f64();
                best.note(&row);
                losses.extend(row.validation_loss);
            }
            let is_enough = is_enough(job, &row, train_seconds) || best.is_over(row.epoch);
            if !is_last && is_enough {
                row.status = Status::Stopped;
            }
            // Before the checkpoint: once a run has ended, its posteriors exist.
            if is_last || row.is_final() {
                match write_posteriors(
                    job,
                    &experiment,
                    trainer.as_mut(),
                    (&best, epoch + 1),
                    should_continue,
                ) {
                    Ok(true) => {}
                    Ok(false) => {
                        return stopped(job, epoch, trainer.as_ref(), &progress, plan.len());
                    }
                    Err(error) => {
                        // Resuming then repeats only what follows training.
                        progress.save(trainer.as_ref(), &job.run, &job.results, epoch)?;
                        return Err(error);
                    }
                }
            }
            best.save(trainer.as_ref(), &row, None)?;
        }
        let ends = row.is_final() || is_last;
        Event::Epoch(Box::new(row)).send()?;
        if ends {
            break;
        }
        progress = EpochProgress::default();
        if !should_continue() {
            return Event::Interrupted(Some(StopPoint {
                epoch: epoch + 1,
                done: plan.len(),
                batches: plan.len(),
                kept: true,
            }))
            .send();
        }
    }
    Ok(())
}

/// Writes the posteriors that word error rates need. Returns false if `should_continue` does.
pub(super) fn write_posteriors(
    job: &Job,
    experiment: &Experiment,
    trainer: &mut dyn Trainer,
    (best, epoch): (&BestModel<'_>, u64),
    should_continue: impl Fn() -> bool,
) -> Result<bool> {
    let (Some(test), Some(task)) = (&experiment.split.test, &job.posteriors) else {
        return Ok(true);
    };
    let writer = PosteriorWriter {
        units: &task.units,
        hop_ms: 1000.0 * experiment.frame_seconds(),
        batch: job.config.measure.validation_batch,
        threads: job.config.train.loader_threads(),
    };
    let mut kept = best.trainer(experiment, epoch)?;
    let trainer = kept.as_deref_mut().unwrap_or(trainer);
    let mut sets = vec![(posteriors::TEST, test)];
    if task.validation {
        sets.push((posteriors::VALIDATION, &experiment.split.validation));
    }
    for (set, corpus) in sets {
        let path = posteriors::path(&job.results, &job.run, set);
        let corpus = corpus.as_ref();
        let written = writer.write(&path, trainer, corpus, &should_continue)?;
        if !written {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Saves the state of the unfinished epoch and reports it.
fn stopped(
    job: &Job,
    epoch: u64,
    trainer: &dyn Trainer,
    progress: &EpochProgress,
    batches: usize,
) -> Result<()> {
    let kept = progress.save(trainer, &job.run, &job.results, epoch)?;
    Event::Interrupted(Some(StopPoint {
        epoch: epoch + 1,
        done: progress.batches,
        batches,
        kept,
    }))
    .send()
}

/// Whether `stop-minutes` or `stop-loss` is reached.
pub(super) fn is_enough(job: &Job, row: &EpochRow, train_seconds: f64) -> bool {
    let train = &job.config.train;
    let by_time = train
        .stop_minutes
        .is_some_and(|most| train_seconds / 60.0 >= most);
    let loss = train.stop_loss.zip(row.validation_loss);
    by_time || loss.is_some_and(|(limit, loss)| loss <= limit)
}

pub(super) fn open(job: &Job) -> Result<Experiment> {
    let experiment = Experiment::open(job.config.clone(), &job.config_folder)?;
    experiment.check_corpus(&job.identity)?;
    let states = read_states(&job.results, &job.identity)?;
    anyhow::ensure!(
        states.is_some() == job.identity.states.is_some(),
        "no states.json in {}",
        job.results.display()
    );
    let experiment = experiment.with_states(states)?;
    let path = job.results.join("normalisation.json");
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    job.identity.check_normalisation(&job.results, &bytes)?;
    let statistics: Statistics = serde_json::from_slice(&bytes)
        .with_context(|| format!("cannot parse {}", path.display()))?;
    Ok(experiment.normalised(statistics)?)
}

/// A new trainer for a run.
pub(super) fn trainer(experiment: &Experiment, run: &RunId) -> Result<Box<dyn Trainer>> {
    let choice = experiment.config.train.backend;
    Ok(backend::trainer(
        choice,
        experiment.trainer_of(run.row, run.seed),
    )?)
}

/// Loads the checkpoint that the run starts from; returns the saved progress of the next epoch.
pub(super) fn load(job: &Job, trainer: &mut dyn Trainer) -> Result<EpochProgress> {
    if job.start == checkpoints::Position::default() {
        return Ok(EpochProgress::default());
    }
    let path = job.run.checkpoint(&job.results, job.start);
    let tag = trainer.load(&path)?;
    let tag = CheckpointTag::check(&tag, &job.run, job.start)
        .map_err(|problem| anyhow::anyhow!("{}: {problem}", path.display()))?;
    Ok(tag.progress.unwrap_or_default())
}

pub(super) fn computes(trainer: &dyn Trainer) -> Computes {
    let description = trainer.describe();
    Computes {
        backend: description.backend.name().into(),
        device: description.device.clone(),
        recurrence: description.recurrence.clone(),
        precision: description.precision.clone(),
        parameters: description.parameters,
    }
}
