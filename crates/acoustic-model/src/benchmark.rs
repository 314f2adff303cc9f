//! Timing one training step of one shape: what `padwise bench step` repeats over shapes, precisions and backends.

use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::profiler::StepPhase;
use crate::{
    BackendChoice, BlstmConfig, Description, ModelError, PaddedBatch, Precision, Recurrence,
    SettingError, Targets, TrainerConfig, backend, profiler,
};

/// A step to be timed: equal lengths, random features and labels.
#[derive(Debug, Clone, PartialEq)]
pub struct StepBenchmark {
    /// Where.
    pub backend: BackendChoice,
    /// The model.
    pub model: BlstmConfig,
    /// Frames of every utterance.
    pub frames: usize,
    /// Utterances.
    pub batch: usize,
    /// Which recurrence.
    pub recurrence: Recurrence,
    /// Which arithmetic.
    pub precision: Precision,
    /// Steps before the clock starts: compilation and first allocations.
    pub warm_up: usize,
    /// Steps timed.
    pub steps: usize,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepTimes {
    /// What computed.
    pub description: Description,
    /// Frames of every utterance.
    pub frames: usize,
    /// Utterances.
    pub batch: usize,
    /// Units a direction.
    pub hidden: usize,
    /// From the request for a trainer to the end of the first step.
    pub first_step_s: f64,
    /// Each timed step, the device synchronised at both ends.
    pub steps_s: Vec<f64>,
    /// Kernels that our own code launches a step.
    pub launches: u64,
    /// The same over time steps and layers.
    pub launches_a_time_step_and_layer: f64,
    /// The most bytes that were seen in use in the middle of a step, where the allocator can tell.
    pub memory_peak: Option<u64>,
    /// Bytes taken from the device, where the allocator can tell.
    pub memory_reserved: Option<u64>,
    /// What each part of a step took, in seconds, with the device waited for between them.
    pub parts_s: Vec<(StepPhase, f64)>,
    /// The loss of the first and of the last step: whether it learned anything.
    pub losses: [f64; 2],
}

impl StepTimes {
    /// The median step.
    pub fn median_s(&self) -> f64 {
        let mut sorted = self.steps_s.clone();
        sorted.sort_by(f64::total_cmp);
        match sorted.len() {
            0 => f64::NAN,
            count => (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0,
        }
    }
}

impl StepBenchmark {
    /// Runs the steps and returns what they took.
    pub fn run(&self) -> Result<StepTimes, ModelError> {
        if self.steps == 0 || self.warm_up == 0 {
            return Err(ModelError::from(SettingError::new(
                "steps",
                format!("{} after {} to warm up", self.steps, self.warm_up),
                "time at least one step, after at least one to warm up",
            )));
        }
        let begin = Instant::now();
        let config = TrainerConfig {
            recurrence: self.recurrence,
            precision: self.precision,
            ..TrainerConfig::new(self.model.clone())
        };
        let mut trainer = backend::trainer(self.backend, config)?;
        let mut batch = self.batch_of_noise();
        let mut next = || std::mem::replace(&mut batch, self.batch_of_noise());
        let mut first_step_s = 0.0;
        for step in 0..self.warm_up {
            trainer.step(next())?;
            trainer.synchronise()?;
            if step == 0 {
                first_step_s = begin.elapsed().as_secs_f64();
            }
        }
        let before = backend::launches();
        let mut steps_s = Vec::with_capacity(self.steps);
        for _ in 0..self.steps {
            // Made before the clock starts: making noise is not training.
            let batch = next();
            trainer.synchronise()?;
            let begin = Instant::now();
            trainer.step(batch)?;
            trainer.synchronise()?;
            steps_s.push(begin.elapsed().as_secs_f64());
        }
        let launches = (backend::launches() - before) / self.steps as u64;
        let (ended, parts) = profiler::profiled(|| {
            trainer.step(next())?;
            trainer.synchronise()
        })
        .map_err(|reason| ModelError::Device {
            backend: trainer.describe().backend,
            reason,
        })?;
        ended?;
        // Not while the clock runs: looking makes the host wait.
        trainer.watch_memory(true);
        trainer.step(next())?;
        let losses = trainer.take_losses()?;
        let memory = trainer.memory();
        Ok(StepTimes {
            description: trainer.describe().clone(),
            frames: self.frames,
            batch: self.batch,
            hidden: self.model.hidden,
            first_step_s,
            steps_s,
            launches,
            launches_a_time_step_and_layer: launches as f64
                / (self.frames * self.model.layers) as f64,
            memory_peak: memory.and_then(|memory| memory.peak),
            memory_reserved: memory.map(|memory| memory.reserved),
            parts_s: parts
                .into_iter()
                .map(|(part, spent)| (part, spent.as_secs_f64()))
                .collect(),
            losses: [0, losses.len() - 1].map(|step| losses[step].mean().unwrap_or(f64::NAN)),
        })
    }

    /// The same random batch every time.
    fn batch_of_noise(&self) -> PaddedBatch {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let rows = self.frames * self.batch;
        let classes = self.model.classes as i32;
        PaddedBatch {
            inputs: (0..rows * self.model.inputs)
                .map(|_| random.random_range(-1.0..1.0))
                .collect(),
            lengths: vec![self.frames as u32; self.batch],
            frames: self.frames,
            targets: Targets::Frames((0..rows).map(|_| random.random_range(0..classes)).collect()),
        }
    }
}
