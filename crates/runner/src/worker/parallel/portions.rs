//! An epoch in which every worker trains its own portion of the corpus, and parameters are averaged at the end.
//!
//! Khomenko et al. (2016): V(t) is the mean of the workers' parameters minus β·V(t − 1), where V(t − 1) are the parameters that all
//! workers started the epoch with.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use padwise_experiment_config::OptimiserState;
use padwise_features::Corpus;
use padwise_model::{OptimiserSnapshot, RunningAverages, Trainer};
use padwise_sampler::{Plan, PlanError, Sampler, Strategy, portion, portion_seed};

use super::starts::Starts;
use super::team::Team;
use super::worker_epoch::{SharedTime, WorkerEpoch};
use super::{EpochInputs, Stopped, Trained};
use crate::checkpoints::EpochProgress;
use crate::corpora::View;
use crate::worker::DivergenceDetector;
use crate::worker::epoch::{Epoch, EpochRate};

/// The utterances of a worker in an epoch, with its batches.
pub struct Portion {
    /// The utterances.
    pub corpus: Arc<dyn Corpus>,
    /// The batches.
    pub plan: Plan,
}

impl Portion {
    /// The portion of `worker` of `size` workers. One worker trains the whole corpus in its own order.
    pub fn new(
        corpus: &Arc<dyn Corpus>,
        strategy: &Strategy,
        seed: u64,
        epoch: u64,
        (worker, size): (usize, usize),
    ) -> Result<Self, PlanError> {
        let corpus: Arc<dyn Corpus> = if size == 1 {
            corpus.clone()
        } else {
            let own = portion(corpus.len(), seed, epoch, worker, size)?;
            Arc::new(View::subset(corpus.clone(), own))
        };
        let sampler = Sampler::new(strategy.clone(), portion_seed(seed, worker))?;
        let plan = sampler.plan(corpus.lengths(), epoch)?;
        Ok(Portion { corpus, plan })
    }
}

/// How the models of workers become one.
#[derive(Clone, Copy, Debug)]
pub struct Averaging {
    /// Weight decay.
    pub beta: f64,
    /// What happens to the optimiser's state.
    pub optimiser: OptimiserState,
}

/// Trains an epoch on portions and averages. `starts` is what this process's workers start with, before and after. The trainer holds
/// the first worker's.
pub fn train(
    inputs: &EpochInputs<'_>,
    averaging: Averaging,
    trainer: &mut dyn Trainer,
    starts: &mut Starts,
    team: &mut Team,
    mut progress: impl FnMut(EpochRate) -> bool,
) -> Result<Result<Trained, Stopped>> {
    // The time of the epoch is that of the leader, so all must start with it.
    team.wait_for_all()?;
    team.take_waited();
    let start = Instant::now();
    let in_turns = team.own().len() > 1;
    let mut workers = Vec::new();
    let mut ends = Vec::new();
    let mut failed = None;
    let (mut slowest, mut slowest_read) = (Duration::ZERO, Duration::ZERO);
    for (at, worker) in team.own().enumerate() {
        let own = Portion::new(
            &inputs.split.training,
            inputs.strategy,
            inputs.seed,
            inputs.epoch,
            (worker, team.size()),
        )?;
        if at > 0 {
            starts.give(at, trainer)?;
        }
        trainer.set_worker(worker);
        let mut detector = DivergenceDetector::new(inputs.divergence, inputs.start_loss);
        let mut done = EpochProgress::default();
        let epoch = Epoch {
            corpus: own.corpus.as_ref(),
            supervision: inputs.split.supervision,
            plan: &own.plan,
            threads: inputs.threads,
            rate_factor: inputs.rate_factor,
            host_base_bytes: inputs.host_base_bytes,
        };
        let row = epoch.train(trainer, &mut detector, &mut done, |rate| {
            failed = team.alive().err();
            failed.is_none() && progress(rate.of_workers(at, team.own().len()))
        })?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        let Some(row) = row else {
            return Ok(Err(Stopped {
                done: done.batches,
                batches: own.plan.len(),
            }));
        };
        let seconds = (row.train_seconds - team.take_waited().as_secs_f64()).max(0.0);
        slowest = slowest.max(Duration::from_secs_f64(seconds));
        workers.push(WorkerEpoch::new(row, done.checked, seconds));
        if in_turns {
            let start = Instant::now();
            ends.push(End::of(trainer, averaging.optimiser)?);
            slowest_read = slowest_read.max(start.elapsed());
        }
    }
    team.wait_for_all()?;
    let averaging_start = Instant::now();
    if team.size() > 1 {
        if !in_turns {
            ends.push(End::of(trainer, averaging.optimiser)?);
        }
        *starts = average(averaging, &starts.parameters, ends, team)?;
        starts.give(0, trainer)?;
    } else if averaging.beta > 0.0 {
        let mut parameters = trainer.parameters()?;
        decay(&mut parameters, averaging.beta, &starts.parameters);
        trainer.set_parameters(&parameters)?;
        starts.parameters = parameters;
    }
    trainer.synchronise()?;
    Ok(Ok(Trained {
        workers,
        time: SharedTime {
            measured: (!in_turns).then(|| start.elapsed()),
            // Workers in several processes read their models at the same time.
            averaging: averaging_start.elapsed() + slowest_read,
            slowest,
        },
    }))
}

/// The model of a worker after its portion.
struct End {
    parameters: Vec<f32>,
    optimiser: OptimiserSnapshot,
}

impl End {
    fn of(trainer: &dyn Trainer, then: OptimiserState) -> Result<Self> {
        Ok(End {
            parameters: trainer.parameters()?,
            optimiser: match then {
                OptimiserState::Reset => OptimiserSnapshot::anew(trainer.steps()),
                OptimiserState::Keep | OptimiserState::Average => trainer.optimiser()?,
            },
        })
    }
}

/// The mean of all workers' models, less β times the parameters before the epoch.
fn average(
    averaging: Averaging,
    before: &[f32],
    ends: Vec<End>,
    team: &mut Team,
) -> Result<Starts> {
    let (mut parameters, mut optimisers) = (Vec::new(), Vec::new());
    for end in ends {
        parameters.push(end.parameters);
        optimisers.push(end.optimiser);
    }
    let weights = vec![1.0; optimisers.len()];
    let mut parameters = team.mean(parameters, &weights)?;
    decay(&mut parameters, averaging.beta, before);
    // Workers take different numbers of steps. With the largest, the next masks of dropout are new for all.
    let step = team.largest(optimisers.iter().map(|optimiser| optimiser.step))?;
    let optimisers = match averaging.optimiser {
        OptimiserState::Keep => optimisers,
        OptimiserState::Reset => vec![OptimiserSnapshot::anew(step)],
        OptimiserState::Average => {
            let start = optimisers[0].start;
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for averages in optimisers.into_iter().filter_map(|own| own.averages) {
                first.push(averages.first);
                second.push(averages.second);
            }
            vec![OptimiserSnapshot {
                averages: Some(RunningAverages {
                    first: team.mean(first, &weights)?,
                    second: team.mean(second, &weights)?,
                }),
                step,
                start,
            }]
        }
    };
    Ok(Starts {
        parameters,
        optimisers,
    })
}

/// Subtracts β times the parameters before the epoch.
fn decay(parameters: &mut [f32], beta: f64, before: &[f32]) {
    if beta > 0.0 {
        let beta = beta as f32;
        let both = parameters.iter_mut().zip(before);
        both.for_each(|(value, before)| *value -= beta * before);
    }
}
