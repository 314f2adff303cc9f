//! Times training steps of many shapes with one model.

use std::time::Instant;

use super::synthetic_batch;
use crate::{
    BackendChoice, BlstmConfig, Description, ModelError, Objective, PaddedBatch, Trainer,
    TrainerConfig, backend,
};

/// A model whose training steps can be timed for any shape.
pub struct ShapeTimer {
    trainer: Box<dyn Trainer>,
    model: BlstmConfig,
    objective: Objective,
}

/// Time and memory of the training steps of one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeTime {
    /// Seconds per step of each round.
    pub rounds: Vec<f64>,
    /// Peak bytes in use during a step, if the allocator reports it.
    pub device_bytes: Option<u64>,
}

impl ShapeTimer {
    /// Creates the model.
    pub fn new(backend: BackendChoice, config: TrainerConfig) -> Result<Self, ModelError> {
        let (model, objective) = (config.model.clone(), config.objective);
        Ok(Self {
            trainer: backend::trainer(backend, config)?,
            model,
            objective,
        })
    }

    /// Backend, device, recurrence and precision.
    pub fn describe(&self) -> &Description {
        self.trainer.describe()
    }

    /// Times some rounds of some steps on utterances of these lengths, padded to `frames`.
    ///
    /// The steps of a round follow each other without waiting for the device, as in an epoch. An untimed step comes first. It
    /// compiles kernels and measures memory.
    pub fn time(
        &mut self,
        lengths: &[u32],
        frames: usize,
        rounds: usize,
        steps: usize,
    ) -> Result<ShapeTime, ModelError> {
        let batch = || synthetic_batch(lengths.to_vec(), frames, &self.model, self.objective);
        let first = batch();
        let batches = || vec![first.clone(); steps];
        // This forgets the peak of the previous shape.
        self.trainer.watch_memory(true);
        self.trainer.step(first.clone())?;
        self.trainer.take_losses()?;
        self.trainer.synchronise()?;
        let device_bytes = self.trainer.memory().and_then(|memory| memory.peak);
        // Memory statistics make the host wait, so they are off while steps are timed.
        self.trainer.watch_memory(false);
        let mut times = Vec::with_capacity(rounds);
        for _ in 0..rounds {
            let batches: Vec<PaddedBatch> = batches();
            self.trainer.synchronise()?;
            let start = Instant::now();
            for batch in batches {
                self.trainer.step(batch)?;
            }
            self.trainer.synchronise()?;
            times.push(start.elapsed().as_secs_f64() / steps.max(1) as f64);
            self.trainer.take_losses()?;
        }
        Ok(ShapeTime {
            rounds: times,
            device_bytes,
        })
    }
}
