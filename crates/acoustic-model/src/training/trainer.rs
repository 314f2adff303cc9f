//! Training behind one object: the only place where a backend's type is known is where the object is made
//! ([`crate::backend`]), so that everything above compiles once.

use std::iter::Sum;
use std::ops::AddAssign;
use std::path::Path;

use padwise_model_config::BackendChoice;
use serde::{Deserialize, Serialize};

use crate::batch::PaddedBatch;
use crate::error::ModelError;

/// Losses of training steps or of evaluated batches, summed; of training steps they are measured before the update.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct LossSum {
    /// Loss summed over what was counted.
    pub sum: f64,
    /// Labelled frames (frame-wise) or utterances (CTC).
    pub counted: u64,
    /// Frames whose best class is not their label; 0 under CTC.
    pub wrong: u64,
}

impl AddAssign for LossSum {
    fn add_assign(&mut self, other: Self) {
        self.sum += other.sum;
        self.counted += other.counted;
        self.wrong += other.wrong;
    }
}

impl Sum for LossSum {
    /// One after the other, in their order.
    fn sum<I: Iterator<Item = Self>>(losses: I) -> Self {
        losses.fold(LossSum::default(), |mut sum, loss| {
            sum += loss;
            sum
        })
    }
}

impl LossSum {
    /// The loss for each frame or utterance; none where nothing was counted.
    pub fn mean(&self) -> Option<f64> {
        (self.counted > 0).then(|| self.sum / self.counted as f64)
    }

    /// The share that was wrong, in percent; none where nothing was counted.
    pub fn wrong_percent(&self) -> Option<f64> {
        (self.counted > 0).then(|| 100.0 * self.wrong as f64 / self.counted as f64)
    }
}

/// What the model makes of a batch without learning from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The loss.
    pub loss: LossSum,
    /// The best class of every frame, `[T, B]` time-major; meaningless in the padding.
    pub best: Vec<i32>,
}

/// Device memory, as the backend's allocator tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// Bytes in use now.
    pub in_use: u64,
    /// Bytes taken from the device.
    pub reserved: u64,
    /// The most bytes in use that were seen during a step since [`Trainer::watch_memory`] was switched on.
    pub peak: Option<u64>,
}

/// What computes, and how: for the record of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Description {
    /// The backend: never `auto`.
    pub backend: BackendChoice,
    /// The device, in its own words.
    pub device: String,
    /// The recurrence.
    pub recurrence: String,
    /// The arithmetic of the large matrix multiplications, in words: tf32 is said where it is used.
    pub precision: String,
    /// Numbers that the model learns.
    pub parameters: usize,
}

/// A model in training on some device.
///
/// Steps are handed to the device and not waited for: [`Trainer::take_losses`] and [`Trainer::evaluate`] wait.
pub trait Trainer {
    /// What computes, and how.
    fn describe(&self) -> &Description;

    /// Tells that epoch `epoch` (from 0) begins: the learning rate follows its schedule.
    fn begin_epoch(&mut self, epoch: u64);

    /// One step of training on one batch.
    fn step(&mut self, batch: PaddedBatch) -> Result<(), ModelError>;

    /// The losses of all steps since the last call, in order; waits for the device.
    fn take_losses(&mut self) -> Result<Vec<LossSum>, ModelError>;

    /// The loss of a batch, without learning from it.
    fn evaluate(&mut self, batch: PaddedBatch) -> Result<Evaluation, ModelError>;

    /// Writes parameters, optimiser state and the place in the random sequence into one file, atomically.
    fn save(&self, path: &Path) -> Result<(), ModelError>;

    /// Resumes from a checkpoint of the same model and optimiser.
    fn load(&mut self, path: &Path) -> Result<(), ModelError>;

    /// All parameters, in the order of [`crate::BlstmConfig::parameters`].
    fn parameters(&self) -> Result<Vec<f32>, ModelError>;

    /// Replaces all parameters, given in the order of [`crate::BlstmConfig::parameters`].
    fn set_parameters(&mut self, parameters: &[f32]) -> Result<(), ModelError>;

    /// Device memory now, where the backend can tell.
    fn memory(&self) -> Option<Memory>;

    /// Whether to look at the device's memory in the middle of every step, where the most is in use. The host then waits for the
    /// device's queue twice a step, so it is off unless asked for.
    fn watch_memory(&mut self, watch: bool);

    /// Waits until the device has done everything.
    fn synchronise(&self) -> Result<(), ModelError>;
}
