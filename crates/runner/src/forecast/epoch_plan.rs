//! The batches of one epoch, for one worker or several.
//!
//! Workers that average their models after an epoch plan their own portions. Workers that average gradients divide one plan.

use std::sync::Arc;

use padwise_experiment_config::{Average, ParallelConfig, ParallelEngine};
use padwise_features::Corpus;
use padwise_model::{BackendChoice, Padding, backend};
use padwise_sampler::{Plan, PlanError, Sampler, Stats};

use super::{LargestBatch, NAMED, memory};
use crate::experiment::Experiment;
use crate::process::existing_world::ExistingWorld;
use crate::stored_batch::{largest_batch, stored_frames, stored_in_epoch};
use crate::worker::Portion;

/// Figures of the batches of an epoch, over all workers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EpochFigures {
    /// Batches.
    pub batches: usize,
    /// Items in no batch.
    pub dropped: usize,
    /// The zero padding rate, from 0 to 1.
    pub zpr: Option<f64>,
    /// The average batch length in frames.
    pub abl: Option<f64>,
    /// Padding divided by padded frames, from 0 to 1.
    pub pooled_padding: Option<f64>,
    /// Frames of all workers that are computed: with padding, unless batches are packed.
    pub stored_frames: u64,
    /// Those of the worker that has the most; at each step, if workers wait for each other after each step.
    pub slowest_frames: u64,
}

impl EpochFigures {
    /// The figures of workers that train apart.
    fn of(plans: &[Stats], padding: Padding) -> Self {
        let mean = |of: fn(&Stats) -> Option<f64>| {
            let weighted = plans.iter().filter_map(|stats| {
                let items = stats.items.saturating_sub(stats.dropped) as f64;
                Some((items, items * of(stats)?))
            });
            let (items, sum) = weighted.fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
            (items > 0.0).then(|| sum / items)
        };
        let stored = || plans.iter().map(|stats| stored_in_epoch(stats, padding));
        let padded_frames: u64 = plans.iter().map(|stats| stats.padded_frames).sum();
        let valid: u64 = plans.iter().map(|stats| stats.valid_frames).sum();
        let padding = padded_frames.saturating_sub(valid) as f64;
        EpochFigures {
            batches: plans.iter().map(|stats| stats.batches).sum(),
            dropped: plans.iter().map(|stats| stats.dropped).sum(),
            zpr: mean(|stats| stats.zpr),
            abl: mean(|stats| stats.abl),
            pooled_padding: (padded_frames > 0).then(|| padding / padded_frames as f64),
            stored_frames: stored().sum(),
            slowest_frames: stored().max().unwrap_or(0),
        }
    }
}

/// Where the workers of a row train.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// One worker, or every worker on its own device.
    OwnDevices,
    /// One after the other in one process. The recorded time is that of the slowest.
    Turns,
    /// Processes that share the cores and the memory of this machine.
    SharedMachine,
}

impl Experiment {
    /// The number of workers of a row.
    pub(super) fn workers(&self, row: usize) -> usize {
        self.config.strategy[row]
            .workers
            .map_or(1, |workers| workers as usize)
    }

    fn parallel(&self, row: usize) -> Option<&ParallelConfig> {
        let parallel = self.config.train.parallel.as_ref();
        parallel.filter(|_| self.workers(row) > 1)
    }

    /// Where the workers of a row train.
    pub(super) fn placement(&self, row: usize) -> Placement {
        let Some(parallel) = self.parallel(row) else {
            return Placement::OwnDevices;
        };
        let on_cpu = matches!(
            backend::resolve(self.config.train.backend),
            Ok(BackendChoice::Cpu)
        );
        match parallel.engine {
            ParallelEngine::Turns => Placement::Turns,
            // The ranks of another launcher may be on other machines.
            ParallelEngine::Mpi
                if on_cpu && !matches!(ExistingWorld::of_environment(), Ok(Some(_))) =>
            {
                Placement::SharedMachine
            }
            ParallelEngine::Mpi => Placement::OwnDevices,
        }
    }

    /// The largest batch of one epoch, and the epoch's figures.
    pub(super) fn epoch_plan(
        &self,
        row: usize,
        seed: u64,
        epoch: u64,
    ) -> Result<(LargestBatch, EpochFigures), PlanError> {
        let corpus = &self.split.training;
        let strategy = &self.config.strategy[row].strategy;
        let workers = self.workers(row);
        let padding = self.config.model.padding;
        let sharing = match self.placement(row) {
            Placement::SharedMachine => workers as u64,
            Placement::OwnDevices | Placement::Turns => 1,
        };
        match self.parallel(row).map(|parallel| parallel.average) {
            Some(Average::Epoch) => {
                let mut largest = LargestBatch::default();
                let mut stats = Vec::new();
                for worker in 0..workers {
                    let portion = Portion::new(corpus, strategy, seed, epoch, (worker, workers))?;
                    let own = self.largest_of(&portion.plan, &portion.corpus, sharing);
                    if own.stored_frames > largest.stored_frames {
                        largest = own;
                    }
                    stats.push(portion.plan.stats());
                }
                Ok((largest, EpochFigures::of(&stats, padding)))
            }
            average => {
                let plan = Sampler::new(strategy.clone(), seed)?.plan(corpus.lengths(), epoch)?;
                let mut figures = EpochFigures::of(&[plan.stats()], padding);
                if average == Some(Average::Step) {
                    (figures.stored_frames, figures.slowest_frames) =
                        shard_frames(&plan, workers, padding)?;
                }
                Ok((self.largest_of(&plan, corpus, sharing), figures))
            }
        }
    }

    fn largest_of(&self, plan: &Plan, corpus: &Arc<dyn Corpus>, sharing: u64) -> LargestBatch {
        let padding = self.config.model.padding;
        let Some(batch) = largest_batch(plan, padding) else {
            return LargestBatch::default();
        };
        let mut items: Vec<_> = batch.items().collect();
        items.sort_by_key(|item| std::cmp::Reverse(item.length));
        let bytes = memory::step_bytes(&self.model(), stored_frames(batch, padding));
        LargestBatch {
            items: batch.len(),
            length: batch.padded_length(),
            stored_frames: stored_frames(batch, padding),
            bytes: bytes.saturating_mul(sharing),
            sharing,
            ids: items
                .iter()
                .take(NAMED)
                .map(|item| corpus.id(item.sequence).to_owned())
                .collect(),
        }
    }
}

/// The stored frames of all workers that divide a plan, and the sum over steps of the largest at each.
fn shard_frames(plan: &Plan, workers: usize, padding: Padding) -> Result<(u64, u64), PlanError> {
    let mut by_step: Vec<u64> = Vec::new();
    let mut all = 0;
    for worker in 0..workers {
        let shard = plan.shard(worker, workers)?;
        by_step.resize(shard.len(), 0);
        for (largest, batch) in by_step.iter_mut().zip(shard.batches()) {
            let frames = stored_frames(batch, padding);
            *largest = frames.max(*largest);
            all += frames;
        }
    }
    Ok((all, by_step.iter().sum()))
}

#[cfg(test)]
mod tests {
    use padwise_sampler::Strategy;

    use super::*;

    #[test]
    fn figures_of_several_workers_are_joined() {
        let strategy = Strategy::parse("sorted", 2).expect("a strategy");
        let plan = |lengths: &[u32]| {
            let sampler = Sampler::new(strategy.clone(), 1).expect("a sampler");
            sampler.plan(lengths, 0).expect("a plan").stats()
        };
        let plans = [plan(&[10, 10]), plan(&[30, 10])];
        let packed = EpochFigures::of(&plans, Padding::Packed);
        assert_eq!((packed.stored_frames, packed.slowest_frames), (64, 42));
        let figures = EpochFigures::of(&plans, Padding::Padded);
        assert_eq!(figures.batches, 2);
        assert_eq!((figures.stored_frames, figures.slowest_frames), (80, 60));
        assert_eq!(figures.pooled_padding, Some(20.0 / 80.0));
        assert_eq!(figures.abl, Some(20.0));
        assert_eq!(
            EpochFigures::of(&[], Padding::Padded),
            EpochFigures::default()
        );
    }

    #[test]
    fn workers_that_divide_a_plan_wait_for_the_largest_batch_of_each_step() {
        let strategy = Strategy::parse("sorted", 1).expect("a strategy");
        let sampler = Sampler::new(strategy, 1).expect("a sampler");
        let plan = sampler.plan(&[10, 20, 30, 40], 0).expect("a plan");
        assert_eq!(
            shard_frames(&plan, 1, Padding::Padded).expect("shards"),
            (100, 100)
        );
        let (all, slowest) = shard_frames(&plan, 2, Padding::Padded).expect("shards");
        assert_eq!(all, 100);
        assert!((50..100).contains(&slowest), "{slowest}");
    }
}
