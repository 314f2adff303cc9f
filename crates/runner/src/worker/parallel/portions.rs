//! An epoch in which every worker trains its own portion of the corpus, and parameters are averaged at the end.
//!
//! Khomenko et al. (2016): V(t) is the mean of the workers' parameters minus β·V(t − 1), where V(t − 1) are the parameters that all
//! workers started the epoch with.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use padwise_experiment_config::OptimiserState;
use padwise_features::Corpus;
use padwise_model::{Trainer, TrainerState};
use padwise_sampler::{Plan, PlanError, Sampler, Strategy, portion, portion_seed};

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

/// Trains an epoch on portions and averages. `states` are the states of this process's workers, before and after.
pub fn train(
    inputs: &EpochInputs<'_>,
    averaging: Averaging,
    trainer: &mut dyn Trainer,
    states: &mut Vec<TrainerState>,
    team: &mut Team,
    mut progress: impl FnMut(EpochRate) -> bool,
) -> Result<Result<Trained, Stopped>> {
    // The time of the epoch is that of the leader, so all must start with it.
    team.wait_for_all()?;
    team.take_waited();
    let start = Instant::now();
    let before = trainer.parameters()?;
    let in_turns = team.own().len() > 1;
    let mut workers = Vec::new();
    let mut failed = None;
    let mut slowest = Duration::ZERO;
    for (at, worker) in team.own().enumerate() {
        let own = Portion::new(
            &inputs.split.training,
            inputs.strategy,
            inputs.seed,
            inputs.epoch,
            (worker, team.size()),
        )?;
        if in_turns {
            trainer.set_state(states[at].clone())?;
        }
        trainer.set_worker(worker);
        let mut detector = DivergenceDetector::new(inputs.divergence, inputs.start_loss);
        let mut done = EpochProgress::default();
        let epoch = Epoch {
            corpus: own.corpus.as_ref(),
            supervision: inputs.split.supervision,
            plan: &own.plan,
            threads: inputs.threads,
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
            states[at] = trainer.state()?;
        }
    }
    team.wait_for_all()?;
    let averaging_start = Instant::now();
    if team.size() > 1 || averaging.beta > 0.0 {
        if !in_turns {
            *states = vec![trainer.state()?];
        }
        average(averaging, &before, states, team)?;
        trainer.set_state(states[0].clone())?;
    }
    trainer.synchronise()?;
    Ok(Ok(Trained {
        workers,
        time: SharedTime {
            measured: (!in_turns).then(|| start.elapsed()),
            averaging: averaging_start.elapsed(),
            slowest,
        },
    }))
}

/// Replaces the parameters of all states by their mean, less β times the parameters before the epoch.
fn average(
    averaging: Averaging,
    before: &[f32],
    states: &mut [TrainerState],
    team: &mut Team,
) -> Result<()> {
    let (weights, size) = (vec![1.0; states.len()], team.size());
    let mut mean = |take: fn(&mut TrainerState) -> &mut Vec<f32>| {
        let own = states.iter_mut().map(|state| std::mem::take(take(state)));
        let own = own.collect();
        team.mean(own, &weights)
    };
    let mut parameters = mean(|state| &mut state.parameters)?;
    if averaging.beta > 0.0 {
        let beta = averaging.beta as f32;
        let both = parameters.iter_mut().zip(before);
        both.for_each(|(value, before)| *value -= beta * before);
    }
    if size == 1 {
        states[0].parameters = parameters;
        return Ok(());
    }
    let averages = match averaging.optimiser {
        OptimiserState::Average => Some((
            mean(|state| &mut state.first)?,
            mean(|state| &mut state.second)?,
        )),
        OptimiserState::Reset | OptimiserState::Keep => None,
    };
    // Workers take different numbers of steps. With the largest, the next masks of dropout are new for all.
    let step = team.largest(states.iter().map(|state| state.step))?;
    for state in states {
        state.parameters.clone_from(&parameters);
        if averaging.optimiser != OptimiserState::Keep {
            state.step = step;
        }
        match &averages {
            Some((first, second)) => {
                state.first.clone_from(first);
                state.second.clone_from(second);
            }
            None if averaging.optimiser == OptimiserState::Reset => state.reset_optimiser(),
            None => {}
        }
    }
    Ok(())
}
