//! The forecast of an experiment before training: batches, padding, memory and time of each strategy.
//!
//! Memory depends on the largest batch. It is estimated from the shape ([`memory`]) and measured in a worker process, together with
//! the time of a step, from which the time of the experiment is estimated ([`time`]).

mod epoch_plan;
pub mod memory;
mod probe;
mod table;
pub mod time;

use padwise_model::{BackendChoice, backend};
use padwise_sampler::PlanError;

pub use epoch_plan::{EpochFigures, Placement};
pub use probe::{Probed, TIME_FOR_PROBES};
pub use table::ForecastTable;

use crate::corpora::Supervision;
use crate::experiment::Experiment;
use crate::machine::{host, nvml};
use crate::terminal::{count, memory as memory_text};

/// Plans per strategy to search for the largest batch, which varies if the order is random. Every worker has its own.
const MOST_PLANS: usize = 12;

/// Utterances of a batch that a message names.
const NAMED: usize = 3;

/// The forecast of one strategy.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// The strategy's name in the config.
    pub name: String,
    /// Figures of each epoch that was planned.
    pub epochs: Vec<EpochFigures>,
    /// Where its workers train.
    pub placement: Placement,
    /// The largest batch.
    pub largest: LargestBatch,
}

/// The largest batch of a strategy, which determines its memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LargestBatch {
    /// Utterances or chunks in the batch.
    pub items: usize,
    /// Their padded length, in frames.
    pub length: u32,
    /// Its frames that take memory: with padding, unless batches are packed.
    pub stored_frames: u64,
    /// Estimated bytes of a training step, in all processes that share the memory.
    pub bytes: u64,
    /// Processes that share the memory.
    pub sharing: u64,
    /// Ids of its longest utterances, the longest first.
    pub ids: Vec<String>,
}

impl Experiment {
    /// Plans a strategy for some seeds and epochs.
    pub fn forecast(&self, row: usize) -> Result<Forecast, PlanError> {
        let train = &self.config.train;
        let pairs = train
            .seeds
            .iter()
            .flat_map(|&seed| (0..train.epochs).map(move |epoch| (seed, epoch)));
        let mut epochs = Vec::new();
        let most = MOST_PLANS.div_ceil(self.workers(row));
        let mut largest = LargestBatch::default();
        for (seed, epoch) in pairs.take(most) {
            let found = self.epoch_plan(row, seed, epoch)?;
            if found.0.stored_frames > largest.stored_frames {
                largest = found.0;
            }
            epochs.push(found.1);
        }
        Ok(Forecast {
            name: self.config.strategy[row].name.clone(),
            epochs,
            placement: self.placement(row),
            largest,
        })
    }

    /// Free memory of the device, if known.
    pub fn free_memory(&self) -> Option<u64> {
        match backend::resolve(self.config.train.backend).ok()? {
            BackendChoice::Cpu => host::available_bytes(),
            BackendChoice::Cuda => nvml::gpu().ok().map(|gpu| gpu.free_bytes),
            _ => None,
        }
    }

    /// Why a largest batch does not fit into this memory, and which size would. `None` if it fits.
    pub fn too_large(&self, largest: &LargestBatch, memory: u64) -> Option<String> {
        if largest.bytes <= memory {
            return None;
        }
        let fits = memory::frames_within(&self.model(), memory / largest.sharing.max(1));
        Some(format!(
            "{}, but only {} is free; {}",
            self.describe(largest),
            memory_text(memory),
            self.remedy(fits, largest.length),
        ))
    }

    /// Advice for a run that failed on its largest batch.
    pub fn advice(&self, row: usize, seed: u64) -> String {
        let Ok((largest, _)) = self.epoch_plan(row, seed, 0) else {
            return String::new();
        };
        let described = self.describe(&largest);
        match self
            .free_memory()
            .and_then(|bytes| self.too_large(&largest, bytes))
        {
            Some(problem) => format!("; {problem}"),
            None => format!("; it failed on its largest batch: {described}"),
        }
    }

    fn remedy(&self, fits: u64, length: u32) -> String {
        let items = fits / u64::from(length.max(1));
        if items >= 1 {
            format!("to fit, set batch={items} or frames={fits} in this strategy's line")
        } else if fits > 0 {
            self.single_utterance(&format!("chunk={fits}"))
        } else {
            "the model itself does not fit: reduce model.hidden".into()
        }
    }

    /// Advice if the longest utterance alone does not fit. Targets cannot be cut into chunks.
    fn single_utterance(&self, chunk: &str) -> String {
        let instead = match self.split.supervision {
            Supervision::Targets => "remove it from the corpus".to_owned(),
            Supervision::FrameLabels | Supervision::LabelSequences => {
                format!("add {chunk} to this strategy's line")
            }
        };
        format!("a single utterance of that length does not fit: {instead} or reduce model.hidden")
    }

    fn describe(&self, largest: &LargestBatch) -> String {
        format!(
            "a batch of {} padded to {} ({}{}) needs about {}{}",
            count(largest.items, "item"),
            count(largest.length, "frame"),
            largest.ids.join(", "),
            if largest.items > largest.ids.len() {
                ", …"
            } else {
                ""
            },
            memory_text(largest.bytes),
            match largest.sharing {
                0 | 1 => String::new(),
                workers => format!(" for {workers} workers"),
            },
        )
    }
}
