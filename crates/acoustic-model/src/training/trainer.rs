//! The [`Trainer`] interface, and its results.
//!
//! Backend types appear only where a trainer is created ([`crate::backend`]), so all code above it is
//! compiled once.

use std::iter::Sum;
use std::ops::AddAssign;
use std::path::Path;

use padwise_model_config::BackendChoice;
use serde::{Deserialize, Serialize};

use crate::batch::PaddedBatch;
use crate::error::ModelError;

/// A sum of losses over training steps or evaluated batches. Training losses are measured before the update.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct LossSum {
    /// Sum of the losses.
    pub sum: f64,
    /// Labelled frames (frame-wise) or utterances (CTC).
    pub counted: u64,
    /// Frames whose predicted class is not their label; 0 with CTC.
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
    /// Adds in order.
    fn sum<I: Iterator<Item = Self>>(losses: I) -> Self {
        losses.fold(LossSum::default(), |mut sum, loss| {
            sum += loss;
            sum
        })
    }
}

impl LossSum {
    /// The mean loss per frame or utterance; `None` if nothing was counted.
    pub fn mean(&self) -> Option<f64> {
        (self.counted > 0).then(|| self.sum / self.counted as f64)
    }

    /// The error rate in percent; `None` if nothing was counted.
    pub fn wrong_percent(&self) -> Option<f64> {
        (self.counted > 0).then(|| 100.0 * self.wrong as f64 / self.counted as f64)
    }
}

/// The result of evaluating a batch without training on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The loss.
    pub loss: LossSum,
    /// The predicted class of every frame, `[T, B]` time-major; meaningless in the padding.
    pub best: Vec<i32>,
}

/// Device memory, as reported by the backend's allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// Bytes in use now.
    pub in_use: u64,
    /// Bytes reserved on the device.
    pub reserved: u64,
    /// Peak bytes in use during a step since [`Trainer::watch_memory`] was enabled.
    pub peak: Option<u64>,
}

/// Backend, device and methods, for the record of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Description {
    /// The backend; never `auto`.
    pub backend: BackendChoice,
    /// The device's name.
    pub device: String,
    /// The recurrence.
    pub recurrence: String,
    /// The precision of the large matrix multiplications, as text. It mentions TF32 if it is used.
    pub precision: String,
    /// Number of trainable parameters.
    pub parameters: usize,
}

/// What an optimiser knows besides the parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct OptimiserSnapshot {
    /// Its running averages; none if it starts anew.
    pub averages: Option<RunningAverages>,
    /// Number of steps taken.
    pub step: u64,
    /// The step at which it last started anew.
    pub start: u64,
}

/// The running averages of an optimiser, one value per parameter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunningAverages {
    /// The first: gradients, or squared gradients with ADADELTA.
    pub first: Vec<f32>,
    /// The second: squared gradients, or squared updates with ADADELTA.
    pub second: Vec<f32>,
}

impl OptimiserSnapshot {
    /// An optimiser that starts anew after this many steps.
    pub fn anew(step: u64) -> Self {
        Self {
            averages: None,
            step,
            start: step,
        }
    }
}

/// The gradients of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Gradients {
    /// The gradients of the batch's mean loss, in the order of the parameters.
    pub values: Vec<f32>,
    /// Labelled frames (or utterances) of the batch: its weight in a mean over batches.
    pub counted: u64,
}

/// A model in training on a device.
///
/// Steps are queued on the device. Only [`Trainer::take_losses`], [`Trainer::evaluate`] and methods that read
/// from the device wait for it.
pub trait Trainer {
    /// Backend, device, recurrence and precision.
    fn describe(&self) -> &Description;

    /// Multiplies the optimiser's learning rate by this factor from now on; 1 at first. A checkpoint does not include it.
    fn set_rate_factor(&mut self, factor: f64);

    /// Trains on one batch.
    fn step(&mut self, batch: PaddedBatch) -> Result<(), ModelError>;

    /// Returns the losses of all steps since the last call, in order; waits for the device.
    fn take_losses(&mut self) -> Result<Vec<LossSum>, ModelError>;

    /// Computes the loss of a batch without training on it.
    fn evaluate(&mut self, batch: PaddedBatch) -> Result<Evaluation, ModelError>;

    /// The logarithm of every class's probability in every frame of each utterance, frame by frame. The batch needs no labels, except
    /// that `targets` must fit its shape.
    fn log_probabilities(&mut self, batch: PaddedBatch) -> Result<Vec<Vec<f32>>, ModelError>;

    /// Writes a checkpoint (parameters, optimiser state and random state) atomically. The tag is stored with it.
    fn save(&self, path: &Path, tag: &str) -> Result<(), ModelError>;

    /// Resumes from a checkpoint of the same model and optimiser. Verifies its checksum and returns its tag.
    fn load(&mut self, path: &Path) -> Result<String, ModelError>;

    /// All parameters, in the order of [`crate::BlstmConfig::parameters`].
    fn parameters(&self) -> Result<Vec<f32>, ModelError>;

    /// Replaces all parameters, given in the order of [`crate::BlstmConfig::parameters`].
    fn set_parameters(&mut self, parameters: &[f32]) -> Result<(), ModelError>;

    /// Number of steps taken.
    fn steps(&self) -> u64;

    /// Reads the optimiser's state.
    fn optimiser(&self) -> Result<OptimiserSnapshot, ModelError>;

    /// Replaces the optimiser's state. The parameters stay.
    fn set_optimiser(&mut self, optimiser: OptimiserSnapshot) -> Result<(), ModelError>;

    /// Sets which of several workers this is, from 0. Workers drop other outputs than each other.
    fn set_worker(&mut self, worker: usize);

    /// Computes the gradients of a batch without updating the parameters.
    fn gradients(&mut self, batch: PaddedBatch) -> Result<Gradients, ModelError>;

    /// Clips gradients and updates the parameters: the second half of a step after [`Trainer::gradients`].
    fn apply(&mut self, gradients: &[f32]) -> Result<(), ModelError>;

    /// Current device memory, if the backend reports it.
    fn memory(&self) -> Option<Memory>;

    /// Enables measuring memory in the middle of every step, when its use peaks. The host then waits for the
    /// device twice per step, so it is off by default.
    fn watch_memory(&mut self, watch: bool);

    /// Waits until the device is idle.
    fn synchronise(&self) -> Result<(), ModelError>;
}
