//! Trains a run with several workers, whose parameters or gradients are averaged.
//!
//! Each worker is a process of an MPI world, or one process trains all of them in turn. Both give the same results, bit for bit. Worker 0
//! validates, saves checkpoints and reports. A checkpoint is written after each epoch only: an interrupted epoch is repeated.

mod checkpoint;
mod closing;
mod portions;
mod starts;
mod steps;
mod team;
mod worker_epoch;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};
use padwise_experiment_config::{Average, ParallelConfig};
use padwise_sampler::{Sampler, Strategy};
use serde::{Deserialize, Serialize};

pub use portions::Portion;
pub use team::Team;

use super::best_epoch::BestModel;
use super::epoch::EpochRate;
use super::step_reporter::StepReporter;
use super::validation::ValidationPass;
use super::{folder_lock, run, warm_up};
use crate::corpora::{Split, Supervision};
use crate::experiment::Experiment;
use crate::machine::host;
use crate::process::protocol::{Event, Job, StopPoint};
use crate::stored_batch::{largest_batch, stored_frames};
use closing::{Closing, worker_times};
use portions::Averaging;
use worker_epoch::{SharedTime, WorkerEpoch, merge};

/// The inputs of an epoch, the same for all workers.
struct EpochInputs<'a> {
    split: &'a Split,
    strategy: &'a Strategy,
    seed: u64,
    epoch: u64,
    rate_factor: f64,
    threads: usize,
    host_base_bytes: Option<u64>,
    divergence: f64,
    /// The first loss of the run, once its first epoch is over.
    start_loss: Option<f64>,
}

/// What the workers of this process did in an epoch.
struct Trained {
    workers: Vec<WorkerEpoch>,
    time: SharedTime,
}

/// Where an epoch was when the user asked to stop.
struct Stopped {
    done: usize,
    batches: usize,
}

/// What the leader tells all workers after an epoch.
#[derive(Serialize, Deserialize)]
struct Decision {
    /// Whether the run is over.
    ends: bool,
    start_loss: Option<f64>,
    validation_loss: Option<f64>,
}

/// Trains a run, new or resumed, until it ends or is asked to stop. Returns false if it was asked to stop.
///
/// If the workers are in several processes, a failure ends all of them. After a stop the caller ends them: the others are in the
/// middle of an epoch, which resuming repeats.
pub fn train(job: &Job, stop: &AtomicBool, team: &mut Team) -> Result<bool> {
    match train_with(job, stop, team) {
        Err(error) if team.is_spread() => {
            let worker = team.own().start;
            let message = format!("worker {worker}: {error:#}");
            let _ = Event::Failed { message }.send();
            team.abort(1)
        }
        ended => ended,
    }
}

/// Returns false if the run was interrupted.
fn train_with(job: &Job, stop: &AtomicBool, team: &mut Team) -> Result<bool> {
    let config = &job.config;
    let parallel = config.train.parallel.as_ref();
    let parallel = parallel.context("the config has no [train.parallel]")?;
    let keeps = parallel.keeps_own_states(team.size());
    // Other processes than the leader's write no files unless they keep their own states.
    let _lock = if team.leads() || keeps {
        let lock = folder_lock::lock(&job.results, team.own().start, stop)?;
        if lock.is_none() {
            Event::Interrupted(None).send()?;
            return Ok(false);
        }
        lock
    } else {
        None
    };
    let experiment = run::open(job)?;
    let row = config.strategy.get(job.run.row);
    let row = row.with_context(|| format!("the config has no strategy {}", job.run.row))?;
    let validation = ValidationPass::new(&experiment)?;
    let host_base_bytes = host::resident_bytes();
    let start = Instant::now();
    let device_peak_bytes = warm_up_largest(job, &experiment, &row.strategy, parallel, team)?;
    let mut trainer = run::trainer(&experiment, &job.run)?;
    let mut starts = checkpoint::load(job, trainer.as_mut(), team, keeps)?;
    let warm_up_seconds = start.elapsed().as_secs_f64();
    if team.leads() {
        let computes = run::computes(trainer.as_ref());
        Event::Ready {
            computes,
            warm_up_seconds,
        }
        .send()?;
    }
    let mut reporter = StepReporter::new(stop);
    let mut start_loss = job.start_loss;
    let mut losses = job.validation_losses.clone();
    let mut train_seconds = job.train_seconds;
    let mut best = BestModel::new(job);
    for epoch in job.start.epoch..config.train.epochs {
        let inputs = EpochInputs {
            split: &experiment.split,
            strategy: &row.strategy,
            seed: job.run.seed,
            epoch,
            rate_factor: config.train.schedule.factor(epoch, &losses),
            threads: config.train.loader_threads(),
            host_base_bytes,
            divergence: config.train.divergence,
            start_loss,
        };
        let leads = team.leads();
        let progress = |rate: EpochRate| !leads || reporter.step(epoch, rate);
        let trained = match parallel.average {
            Average::Epoch => {
                let averaging = Averaging {
                    beta: parallel.beta(),
                    optimiser: parallel.optimiser_state(),
                };
                portions::train(
                    &inputs,
                    averaging,
                    trainer.as_mut(),
                    &mut starts,
                    team,
                    progress,
                )?
            }
            Average::Step => steps::train(&inputs, trainer.as_mut(), team, progress)?,
        };
        let trained = match trained {
            Ok(trained) => trained,
            Err(stopped) => {
                interrupted(epoch, stopped, false)?;
                return Ok(false);
            }
        };
        if keeps {
            checkpoint::save_own(job, trainer.as_mut(), &starts, team, epoch + 1)?;
        }
        let workers = gather(team, &trained)?;
        let mut decision = Decision {
            ends: false,
            start_loss,
            validation_loss: None,
        };
        if team.leads() {
            let has_frame_errors = experiment.split.supervision == Supervision::FrameLabels;
            let mut merged = merge(&workers, trained.time, has_frame_errors);
            merged.strategy = row.name.clone();
            merged.seed = job.run.seed;
            merged.epoch = epoch + 1;
            merged.warm_up_seconds = if epoch == job.start.epoch {
                warm_up_seconds
            } else {
                0.0
            };
            merged.device_peak_bytes = device_peak_bytes;
            train_seconds += merged.train_seconds;
            let times = worker_times(&merged, &workers, trained.time);
            let closing = Closing {
                job,
                experiment: &experiment,
                validation: &validation,
                stop,
                train_seconds,
            };
            let all = Stopped {
                done: merged.batches as usize,
                batches: merged.batches as usize,
            };
            if !closing.close(trainer.as_mut(), &mut best, team, &mut merged, times)? {
                interrupted(epoch, all, false)?;
                return Ok(false);
            }
            let is_last = epoch + 1 == config.train.epochs;
            decision.ends = merged.is_final() || is_last;
            decision.start_loss = start_loss.or(merged.start_loss);
            decision.validation_loss = merged.validation_loss;
            Event::Epoch(Box::new(merged)).send()?;
            if !decision.ends && stop.load(Ordering::Relaxed) {
                interrupted(epoch, all, true)?;
                return Ok(false);
            }
        }
        team.wait_for_all()?;
        let text = team.broadcast(serde_json::to_string(&decision)?)?;
        let decision: Decision = serde_json::from_str(&text)?;
        start_loss = decision.start_loss;
        losses.extend(decision.validation_loss);
        if decision.ends {
            break;
        }
    }
    Ok(true)
}

/// Trains warm-up steps on the largest batch of this process's workers.
fn warm_up_largest(
    job: &Job,
    experiment: &Experiment,
    strategy: &Strategy,
    parallel: &ParallelConfig,
    team: &Team,
) -> Result<Option<u64>> {
    let (epoch, seed) = (job.start.epoch, job.run.seed);
    let training = &experiment.split.training;
    let steps = job.config.measure.warm_up_steps;
    if steps == 0 {
        return Ok(None);
    }
    let mut portions = Vec::new();
    match parallel.average {
        Average::Epoch => {
            for worker in team.own() {
                let place = (worker, team.size());
                portions.push(Portion::new(training, strategy, seed, epoch, place)?);
            }
        }
        Average::Step => portions.push(Portion {
            plan: Sampler::new(strategy.clone(), seed)?.plan(training.lengths(), epoch)?,
            corpus: training.clone(),
        }),
    }
    let padding = job.config.model.padding;
    let largest = |portion: &Portion| {
        let batch = largest_batch(&portion.plan, padding);
        batch.map(|batch| stored_frames(batch, padding))
    };
    let Some(portion) = portions.iter().max_by_key(|portion| largest(portion)) else {
        return Ok(None);
    };
    let trainer = run::trainer(experiment, &job.run)?;
    let supervision = experiment.split.supervision;
    warm_up::train(
        trainer,
        portion.corpus.as_ref(),
        supervision,
        &portion.plan,
        padding,
        steps,
    )
}

fn interrupted(epoch: u64, stopped: Stopped, kept: bool) -> Result<()> {
    Event::Interrupted(Some(StopPoint {
        epoch: epoch + 1,
        done: stopped.done,
        batches: stopped.batches,
        kept,
    }))
    .send()
}

/// The parts of all workers, at the leader.
fn gather(team: &mut Team, trained: &Trained) -> Result<Vec<WorkerEpoch>> {
    if !team.is_spread() {
        return Ok(trained.workers.clone());
    }
    let texts = team.gather(&serde_json::to_string(&trained.workers)?)?;
    let mut workers = Vec::new();
    for text in texts {
        workers.extend(serde_json::from_str::<Vec<WorkerEpoch>>(&text)?);
    }
    Ok(workers)
}
