//! Timing of one training step, used by `padwise bench step`.

use std::time::Instant;

use serde::Serialize;

use super::{FRAMES_PER_LABEL, synthetic_batch};
use crate::profiler::StepPhase;
use crate::{
    BackendChoice, BlstmConfig, Description, ModelError, Objective, PaddedBatch, Padding,
    Precision, Recurrence, SettingError, Trainer, TrainerConfig, backend, profiler,
};

/// The largest number of pipelined steps. Their batches are created in advance, so they need memory.
const MOST_PIPELINED: usize = 32;

/// A training step to time: equal lengths, random features and labels.
#[derive(Debug, Clone, PartialEq)]
pub struct StepBenchmark {
    /// The backend.
    pub backend: BackendChoice,
    /// The model.
    pub model: BlstmConfig,
    /// Frames of every utterance.
    pub frames: usize,
    /// Utterances in the batch.
    pub batch: usize,
    /// The implementation of the recurrence.
    pub recurrence: Recurrence,
    /// How the batch is stored.
    pub padding: Padding,
    /// The precision of the GEMMs.
    pub precision: Precision,
    /// Untimed steps at the start, for compilation and first allocations.
    pub warm_up: usize,
    /// Number of timed steps.
    pub steps: usize,
}

/// The measurements.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepTimes {
    /// Backend, device, recurrence and precision.
    pub description: Description,
    /// Frames of every utterance.
    pub frames: usize,
    /// Utterances in the batch.
    pub batch: usize,
    /// Hidden units per direction.
    pub hidden: usize,
    /// How the batch is stored.
    pub padding: Padding,
    /// Time from creating the trainer to the end of the first step.
    pub first_step_s: f64,
    /// Time of each step, with the device synchronised before and after.
    pub steps_s: Vec<f64>,
    /// Time of a step in a row of up to 32 steps without synchronisation in between, as in training.
    pub pipelined_s: f64,
    /// Our kernel launches per step.
    pub launches: u64,
    /// The same, divided by time steps and layers.
    pub launches_a_time_step_and_layer: f64,
    /// The largest number of bytes in use during a step, if the allocator reports it.
    pub memory_peak: Option<u64>,
    /// Bytes reserved on the device, if the allocator reports it.
    pub memory_reserved: Option<u64>,
    /// Seconds spent in each phase of a step, with the device synchronised in between.
    pub parts_s: Vec<(StepPhase, f64)>,
    /// The loss of the first and of the last step, to check that the model learns.
    pub losses: [f64; 2],
}

impl StepTimes {
    /// The median step time.
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
    /// Runs the steps and returns the measurements.
    pub fn run(&self) -> Result<StepTimes, ModelError> {
        if self.steps == 0 || self.warm_up == 0 {
            return Err(ModelError::from(SettingError::new(
                "steps",
                format!("{} with {} warm-up steps", self.steps, self.warm_up),
                "both must be at least 1",
            )));
        }
        let begin = Instant::now();
        let config = TrainerConfig {
            recurrence: self.recurrence,
            padding: self.padding,
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
            // Created before the clock starts, so generating the batch is not timed.
            let batch = next();
            trainer.synchronise()?;
            let begin = Instant::now();
            trainer.step(batch)?;
            trainer.synchronise()?;
            steps_s.push(begin.elapsed().as_secs_f64());
        }
        let launches = (backend::launches() - before) / self.steps as u64;
        let pipelined_s = self.pipelined(trainer.as_mut())?;
        let (ended, parts) = profiler::profiled(|| {
            trainer.step(next())?;
            trainer.synchronise()
        })
        .map_err(|reason| ModelError::Device {
            backend: trainer.describe().backend,
            reason,
        })?;
        ended?;
        // Not during the timed steps, because memory statistics make the host wait.
        trainer.watch_memory(true);
        trainer.step(next())?;
        let losses = trainer.take_losses()?;
        let memory = trainer.memory();
        Ok(StepTimes {
            description: trainer.describe().clone(),
            frames: self.frames,
            batch: self.batch,
            hidden: self.model.hidden,
            padding: self.padding,
            first_step_s,
            steps_s,
            pipelined_s,
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

    /// Seconds per step in a row of steps that the host submits without waiting for the device.
    fn pipelined(&self, trainer: &mut dyn Trainer) -> Result<f64, ModelError> {
        let steps = self.steps.min(MOST_PIPELINED);
        let batches: Vec<_> = (0..steps).map(|_| self.batch_of_noise()).collect();
        trainer.synchronise()?;
        let begin = Instant::now();
        for batch in batches {
            trainer.step(batch)?;
        }
        trainer.synchronise()?;
        Ok(begin.elapsed().as_secs_f64() / steps as f64)
    }

    fn batch_of_noise(&self) -> PaddedBatch {
        let lengths = vec![self.frames as u32; self.batch];
        let objective = Objective::FrameWise;
        synthetic_batch(
            lengths,
            self.frames,
            &self.model,
            objective,
            FRAMES_PER_LABEL,
        )
    }
}
