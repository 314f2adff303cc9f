//! Measures the overhead of an epoch: its training time compared with the time of its bare training steps.
//!
//! Both are timed in alternating rounds on one model, so background load affects them equally. The batches of the bare steps are
//! assembled before timing starts.

use std::time::Instant;

use anyhow::Result;
use padwise_experiment_config::Row;
use padwise_model::{PaddedBatch, Trainer, backend};
use padwise_report::statistics::median;
use padwise_sampler::{Plan, Sampler};
use serde::{Deserialize, Serialize};

use super::step_times::StepTime;
use crate::checkpoints::EpochProgress;
use crate::corpora::Split;
use crate::experiment::Experiment;
use crate::loader::assemble;
use crate::worker::DivergenceDetector;
use crate::worker::epoch::Epoch;

/// The overhead of one strategy's first epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochOverhead {
    /// Name of the strategy.
    pub strategy: String,
    /// The device.
    pub device: String,
    /// Batches per epoch.
    pub batches: usize,
    /// Time of the steps alone, per round.
    pub bare_seconds: Vec<f64>,
    /// Time of the epoch as `padwise run` trains it, per round.
    pub epoch_seconds: Vec<f64>,
    /// Time within `epoch_seconds` spent waiting for the loader, per round.
    pub wait_seconds: Vec<f64>,
    /// Time of every single step, with a device synchronisation after each.
    pub steps: Vec<StepTime>,
}

impl EpochOverhead {
    /// How much longer the epoch takes than its steps, in percent (medians).
    pub fn longer_percent(&self) -> f64 {
        100.0 * (median(&self.epoch_seconds) / median(&self.bare_seconds) - 1.0)
    }

    /// Time spent waiting for the loader, in percent of the epoch (median).
    pub fn wait_percent(&self) -> f64 {
        let waits = self.wait_seconds.iter().zip(&self.epoch_seconds);
        let shares: Vec<f64> = waits.map(|(wait, epoch)| 100.0 * wait / epoch).collect();
        median(&shares)
    }

    /// The sum over all strategies, per round. It averages out background load.
    pub fn sum(all: &[EpochOverhead]) -> Self {
        let sum = |of: fn(&EpochOverhead) -> &Vec<f64>| {
            let rounds = all.iter().map(|found| of(found).len()).min().unwrap_or(0);
            (0..rounds)
                .map(|round| all.iter().map(|found| of(found)[round]).sum())
                .collect()
        };
        EpochOverhead {
            strategy: "all".into(),
            device: all
                .first()
                .map(|found| found.device.clone())
                .unwrap_or_default(),
            batches: all.iter().map(|found| found.batches).sum(),
            bare_seconds: sum(|found| &found.bare_seconds),
            epoch_seconds: sum(|found| &found.epoch_seconds),
            wait_seconds: sum(|found| &found.wait_seconds),
            // One fitted line cannot describe the steps of different strategies.
            steps: Vec::new(),
        }
    }

    /// Measures the first epoch of a strategy.
    pub fn of(experiment: &Experiment, row: &Row, rounds: u32) -> Result<Self> {
        let Experiment { config, split, .. } = experiment;
        let train = &config.train;
        let seed = train.seeds.first().copied().unwrap_or_default();
        let corpus = split.training.as_ref();
        let plan = Sampler::new(row.strategy.clone(), seed)?.plan(corpus.lengths(), 0)?;
        let supervision = split.supervision;
        let batches: Vec<PaddedBatch> = plan
            .batches()
            .map(|planned| assemble(corpus, &planned, supervision))
            .collect::<Result<_, _>>()?;
        let mut trainer = backend::trainer(train.backend, experiment.trainer(seed))?;
        // Warm up: compile kernels and allocate memory.
        if let Some(worst) = plan.largest_batch() {
            bare(
                trainer.as_mut(),
                vec![assemble(corpus, &worst, supervision)?],
            )?;
        }
        let mut found = EpochOverhead {
            strategy: row.name.clone(),
            device: trainer.describe().device.clone(),
            batches: plan.len(),
            bare_seconds: Vec::new(),
            epoch_seconds: Vec::new(),
            wait_seconds: Vec::new(),
            steps: Vec::new(),
        };
        for _ in 0..rounds {
            let seconds = bare(trainer.as_mut(), batches.clone())?;
            found.bare_seconds.push(seconds);
            let progress = whole(trainer.as_mut(), split, &plan, train.loader_threads())?;
            found.epoch_seconds.push(progress.train_seconds);
            found.wait_seconds.push(progress.wait_seconds);
        }
        for batch in batches {
            found.steps.push(StepTime {
                padded_frames: (batch.frames * batch.len()) as u64,
                seconds: bare(trainer.as_mut(), vec![batch])?,
            });
        }
        Ok(found)
    }
}

/// Runs training steps and nothing else; returns their time in seconds.
fn bare(trainer: &mut dyn Trainer, batches: Vec<PaddedBatch>) -> Result<f64> {
    trainer.synchronise()?;
    let start = Instant::now();
    for batch in batches {
        trainer.step(batch)?;
    }
    trainer.synchronise()?;
    let seconds = start.elapsed().as_secs_f64();
    trainer.take_losses()?;
    Ok(seconds)
}

/// Trains an epoch as `padwise run` does.
fn whole(
    trainer: &mut dyn Trainer,
    split: &Split,
    plan: &Plan,
    threads: usize,
) -> Result<EpochProgress> {
    let epoch = Epoch {
        corpus: split.training.as_ref(),
        supervision: split.supervision,
        plan,
        threads,
        rate_factor: 1.0,
        host_base_bytes: None,
    };
    let mut progress = EpochProgress::default();
    // Divergence does not matter for timing.
    let mut detector = DivergenceDetector::new(f64::INFINITY, None);
    epoch.train(trainer, &mut detector, &mut progress, |_| true)?;
    Ok(progress)
}
