//! What an experiment will do and need, told before anything is trained: padding and batches of each plan, the largest batch, the
//! memory that it needs by estimate ([`memory`]) and by trying it in a worker process.

pub mod memory;
mod probe;
mod table;

use padwise_model::{BackendChoice, backend};
use padwise_sampler::{PlanError, Sampler, Stats};

pub use probe::{Probed, TIME_FOR_PROBES};
pub use table::forecast_table;

use crate::experiment::Experiment;
use crate::machine::{host, nvml};

/// Plans that are made of a strategy to find its largest batch: where order is random, so is that.
const MOST_PLANS: usize = 12;

/// Utterances of a batch that are named.
const NAMED: usize = 3;

/// What one strategy will do.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// The row's name.
    pub name: String,
    /// Figures of the plans.
    pub stats: Vec<Stats>,
    /// The largest batch.
    pub largest: LargestBatch,
}

/// The batch that decides how much memory a strategy needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LargestBatch {
    /// Items in it.
    pub items: usize,
    /// Frames that they are padded to.
    pub length: u32,
    /// Bytes that a step on it takes.
    pub bytes: u64,
    /// The ids of some of its utterances, the longest first.
    pub ids: Vec<String>,
}

impl LargestBatch {
    pub(super) fn frames(&self) -> u64 {
        self.items as u64 * u64::from(self.length)
    }
}

impl Experiment {
    /// Plans a strategy for some of its seeds and epochs.
    pub fn forecast(&self, row: usize) -> Result<Forecast, PlanError> {
        let train = &self.config.train;
        let pairs = train
            .seeds
            .iter()
            .flat_map(|&seed| (0..train.epochs).map(move |epoch| (seed, epoch)));
        let mut stats = Vec::new();
        let mut largest = LargestBatch::default();
        for (seed, epoch) in pairs.take(MOST_PLANS) {
            let found = self.largest(row, seed, epoch)?;
            if found.0.frames() > largest.frames() {
                largest = found.0;
            }
            stats.push(found.1);
        }
        Ok(Forecast {
            name: self.config.strategy[row].name.clone(),
            stats,
            largest,
        })
    }

    /// The largest batch of one epoch, and the epoch's figures.
    fn largest(
        &self,
        row: usize,
        seed: u64,
        epoch: u64,
    ) -> Result<(LargestBatch, Stats), PlanError> {
        let corpus = &self.split.training;
        let sampler = Sampler::new(self.config.strategy[row].strategy.clone(), seed)?;
        let plan = sampler.plan(corpus.lengths(), epoch)?;
        let largest = plan.largest_batch().map(|batch| {
            let mut items: Vec<_> = batch.items().collect();
            items.sort_by_key(|item| std::cmp::Reverse(item.length));
            LargestBatch {
                items: batch.len(),
                length: batch.padded_length(),
                bytes: memory::step_bytes(&self.model(), batch.padded_frames()),
                ids: items
                    .iter()
                    .take(NAMED)
                    .map(|item| corpus.id(item.sequence).to_owned())
                    .collect(),
            }
        });
        Ok((largest.unwrap_or_default(), plan.stats()))
    }

    /// Memory that the device has left, where that can be told.
    pub fn free_memory(&self) -> Option<u64> {
        match backend::resolve(self.config.train.backend).ok()? {
            BackendChoice::Cpu => host::available_bytes(),
            BackendChoice::Cuda => nvml::gpu().ok().map(|gpu| gpu.free_bytes),
            _ => None,
        }
    }

    /// What is known of a largest batch that does not fit: which utterances, how much, and what would fit.
    pub fn too_large(&self, largest: &LargestBatch, memory: u64) -> Option<String> {
        if largest.bytes <= memory {
            return None;
        }
        let fits = memory::frames_within(&self.model(), memory);
        Some(format!(
            "{}, and there are {}; {}",
            self.describe(largest),
            gigabytes(memory),
            remedy(fits, largest.length),
        ))
    }

    /// What to say beside the failure of a run that did not get past its largest batch.
    pub fn advice(&self, row: usize, seed: u64) -> String {
        let Ok((largest, _)) = self.largest(row, seed, 0) else {
            return String::new();
        };
        let described = self.describe(&largest);
        match self
            .free_memory()
            .and_then(|bytes| self.too_large(&largest, bytes))
        {
            Some(problem) => format!("; {problem}"),
            None => format!("; it was on its largest batch first: {described}"),
        }
    }

    fn describe(&self, largest: &LargestBatch) -> String {
        format!(
            "a batch of {} items padded to {} frames ({}{}) takes about {}",
            largest.items,
            largest.length,
            largest.ids.join(", "),
            if largest.items > largest.ids.len() {
                ", …"
            } else {
                ""
            },
            gigabytes(largest.bytes),
        )
    }
}

fn remedy(fits: u64, length: u32) -> String {
    let items = fits / u64::from(length.max(1));
    if items >= 1 {
        format!("batch={items} or frames={fits} in its line would fit")
    } else if fits > 0 {
        format!(
            "not even one utterance of that length fits: chunk={fits} in its line would, or a smaller model.hidden"
        )
    } else {
        "the model alone does not fit: use a smaller model.hidden".into()
    }
}

/// Bytes as people say them.
fn gigabytes(bytes: u64) -> String {
    format!("{:.2} GB", bytes as f64 / 1e9)
}
