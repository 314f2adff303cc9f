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
    frames_per_label: f64,
}

/// Time and memory of the training steps of one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeTime {
    /// Seconds per step in the fastest round, because other programs can only slow it down.
    pub seconds: f64,
    /// Peak bytes in use during a step, if the allocator reports it.
    pub device_bytes: Option<u64>,
}

impl ShapeTimer {
    /// Creates the model. With CTC, a label of its batches stands for `frames_per_label` frames.
    pub fn new(
        backend: BackendChoice,
        config: TrainerConfig,
        frames_per_label: f64,
    ) -> Result<Self, ModelError> {
        let (model, objective) = (config.model.clone(), config.objective);
        Ok(Self {
            trainer: backend::trainer(backend, config)?,
            model,
            objective,
            frames_per_label,
        })
    }

    /// Backend, device, recurrence and precision.
    pub fn describe(&self) -> &Description {
        self.trainer.describe()
    }

    /// Times some rounds of steps on utterances of these lengths, padded to `frames`.
    ///
    /// The steps of a round follow each other without waiting for the device, as in an epoch. On a GPU a round starts with a delay:
    /// the host prepares the first step while the device has nothing to do. So a round of one step is timed as well, and a step
    /// takes what `steps` further steps add to it. An untimed step comes first. It compiles kernels and measures memory.
    pub fn time(
        &mut self,
        lengths: &[u32],
        frames: usize,
        rounds: usize,
        steps: usize,
    ) -> Result<ShapeTime, ModelError> {
        let batch = synthetic_batch(
            lengths.to_vec(),
            frames,
            &self.model,
            self.objective,
            self.frames_per_label,
        );
        // This forgets the peak of the previous shape.
        self.trainer.watch_memory(true);
        self.trainer.step(batch.clone())?;
        self.trainer.take_losses()?;
        self.trainer.synchronise()?;
        let device_bytes = self.trainer.memory().and_then(|memory| memory.peak);
        // Memory statistics make the host wait, so they are off while steps are timed.
        self.trainer.watch_memory(false);
        let has_delay = self.trainer.describe().backend != BackendChoice::Cpu;
        let first = usize::from(has_delay);
        let (mut fastest, mut fastest_first) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..rounds {
            if has_delay {
                fastest_first = fastest_first.min(self.round(&batch, first)?);
            }
            fastest = fastest.min(self.round(&batch, first + steps)?);
        }
        let whole = fastest / (first + steps) as f64;
        let added = (fastest - fastest_first) / steps as f64;
        Ok(ShapeTime {
            seconds: if has_delay && added > 0.0 {
                added
            } else {
                whole
            },
            device_bytes,
        })
    }

    /// Seconds of this many steps.
    fn round(&mut self, batch: &PaddedBatch, steps: usize) -> Result<f64, ModelError> {
        let batches = vec![batch.clone(); steps];
        self.trainer.synchronise()?;
        let start = Instant::now();
        for batch in batches {
            self.trainer.step(batch)?;
        }
        self.trainer.synchronise()?;
        let seconds = start.elapsed().as_secs_f64();
        self.trainer.take_losses()?;
        Ok(seconds)
    }
}
