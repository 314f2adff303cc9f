//! The trainer for any backend: forward, loss, backward, clip, update.
//!
//! Between steps, the parameters are stored in one flat vector. A step splits it into the model's tensors and
//! concatenates the gradients again. Losses stay on the device until they are requested.

use std::path::Path;

use burn_tensor::activation::log_softmax;
use burn_tensor::backend::Backend;
use burn_tensor::{BasicOps, Element, Tensor, TensorData};
use padwise_model_config::{BackendChoice, SettingError, TrainerConfig};

use super::checkpoint::{About, Checkpoint};
use super::loss::{self, DeviceLoss, Labels};
use super::optimiser;
use super::trainer::{Description, Evaluation, LossSum, Memory, Trainer};
use crate::batch::{Lengths, PaddedBatch, Targets};
use crate::error::ModelError;
use crate::kernels::KernelBackend;
use crate::kernels::dropout::TrainingStep;
use crate::kernels::optimiser::Moments;
use crate::kernels::recurrence::LayerOptions;
use crate::network::blstm::Blstm;
use crate::network::{backpropagation, initial};
use crate::profiler::{self, StepPhase};

/// A model in training on backend `B`.
pub struct BackendTrainer<B: KernelBackend> {
    config: TrainerConfig,
    description: Description,
    device: B::Device,
    memory: fn(&B::Device) -> Option<Memory>,
    parameters: Tensor<B, 1>,
    moments: Moments<B>,
    step: u64,
    epoch: u64,
    pending: Vec<DeviceLoss<B>>,
    watched: Option<u64>,
}

impl<B: KernelBackend> BackendTrainer<B> {
    /// Creates a trainer with initial parameters.
    pub fn new(
        config: TrainerConfig,
        description: Description,
        device: B::Device,
        memory: fn(&B::Device) -> Option<Memory>,
    ) -> Result<Self, ModelError> {
        config.validate()?;
        let parameters = to_device::<B>(initial::parameters(&config.model, config.seed)?, &device);
        Ok(Self {
            moments: Moments::zeros_like(&parameters),
            parameters,
            config,
            description,
            device,
            memory,
            step: 0,
            epoch: 0,
            pending: Vec::new(),
            watched: None,
        })
    }

    fn model(&self) -> Blstm<B> {
        Blstm::from_flat(&self.config.model, self.parameters.clone())
    }

    fn options(&self) -> LayerOptions {
        LayerOptions {
            recurrence: self.config.recurrence,
            precision: self.config.precision,
        }
    }

    fn failed(&self, reason: impl ToString) -> ModelError {
        ModelError::Device {
            backend: self.description.backend,
            reason: reason.to_string(),
        }
    }

    /// GPU kernels use 32-bit indices.
    fn refuse_uncountable(&self, frames: usize, utterances: usize) -> Result<(), ModelError> {
        let model = &self.config.model;
        let widest = (8 * model.hidden).max(model.classes);
        let largest = frames.saturating_mul(utterances).saturating_mul(widest);
        if self.description.backend == BackendChoice::Cpu || largest <= u32::MAX as usize {
            return Ok(());
        }
        let problem = format!(
            "of {frames} frames × {utterances} utterances needs a matrix of {largest} values, too many for \
             32-bit indices: use smaller batches"
        );
        Err(ModelError::batch("size", problem))
    }

    /// Copies a batch to the device.
    fn place(&self, mut batch: PaddedBatch) -> Result<Placed<B>, ModelError> {
        batch.validate(self.config.model.inputs)?;
        let no_labels = Targets::Frames(Vec::new());
        let targets = std::mem::replace(&mut batch.targets, no_labels);
        let lengths = batch.lengths.clone();
        let input = self.place_features(batch)?;
        let [frames, utterances, _] = input.features.dims();
        let rows = frames * utterances;
        let labels = loss::labels(targets, &lengths, rows, &self.config, &self.device)?;
        Ok(Placed { input, labels })
    }

    /// Copies the features of a batch to the device.
    fn place_features(&self, batch: PaddedBatch) -> Result<Input<B>, ModelError> {
        let inputs = self.config.model.inputs;
        let utterances = batch.len();
        let frames = B::padded_frames(batch.frames, utterances);
        self.refuse_uncountable(frames, utterances)?;
        // Time-major, so frames are appended at the end.
        let mut features = batch.inputs;
        features.resize(frames * utterances * inputs, 0.0);
        Ok(Input {
            lengths: Lengths::new(&batch.lengths, frames, &self.device)?,
            features: B::upload_floats(features, [frames, utterances, inputs], &self.device),
        })
    }
}

/// The features of a batch on the device.
struct Input<B: Backend> {
    features: Tensor<B, 3>,
    lengths: Lengths<B>,
}

/// A batch on the device.
struct Placed<B: Backend> {
    input: Input<B>,
    labels: Box<dyn Labels<B>>,
}

impl<B: KernelBackend> Trainer for BackendTrainer<B> {
    fn describe(&self) -> &Description {
        &self.description
    }

    fn begin_epoch(&mut self, epoch: u64) {
        self.epoch = epoch;
    }

    fn step(&mut self, batch: PaddedBatch) -> Result<(), ModelError> {
        let training = TrainingStep {
            dropout: self.config.model.dropout,
            seed: self.config.seed,
            step: self.step,
        };
        let model = self.model();
        let device = self.device.clone();
        let batch = profiler::timed::<B, _>(StepPhase::Copy, &device, || self.place(batch))?;
        let mut peak = self.watched;
        let mut watch = || {
            // Only if requested, because it makes the host wait.
            if let (Some(peak), Some(now)) = (&mut peak, (self.memory)(&device)) {
                *peak = (*peak).max(now.in_use);
            }
        };
        let (scores, pass) = backpropagation::forward(
            &model,
            batch.input.features,
            &batch.input.lengths,
            self.options(),
            Some(training),
        );
        let found = profiler::timed::<B, _>(StepPhase::Loss, &device, || {
            batch.labels.loss_and_gradient(scores)
        })?;
        watch();
        drop(found.tables);
        let gradients = pass.backward(found.gradient, found.bound, watch);
        drop(model);
        self.watched = peak;
        self.pending.push(found.loss);
        self.step += 1;
        profiler::timed::<B, _>(StepPhase::Update, &device, || self.update(gradients));
        Ok(())
    }

    fn take_losses(&mut self) -> Result<Vec<LossSum>, ModelError> {
        if self.pending.is_empty() {
            return Ok(Vec::new());
        }
        let pending = std::mem::take(&mut self.pending);
        let counted: Vec<u64> = pending.iter().map(|loss| loss.counted).collect();
        let values = Tensor::cat(pending.into_iter().map(|loss| loss.values).collect(), 0);
        let values = self.read(values)?;
        let pairs = values.chunks_exact(2).zip(counted);
        Ok(pairs
            .map(|(values, counted)| loss_sum(values, counted))
            .collect())
    }

    fn evaluate(&mut self, batch: PaddedBatch) -> Result<Evaluation, ModelError> {
        let model = self.model();
        let rows = batch.frames * batch.len();
        let Placed { input, labels } = self.place(batch)?;
        let scores =
            backpropagation::scores(&model, input.features, &input.lengths, self.options());
        let [padded_rows, _] = scores.dims();
        let loss = labels.loss(scores.clone())?;
        let mut best = self.read(scores.argmax(1).reshape([padded_rows]))?;
        best.truncate(rows);
        Ok(Evaluation {
            loss: loss_sum(&self.read(loss.values)?, loss.counted),
            best,
        })
    }

    fn log_probabilities(&mut self, batch: PaddedBatch) -> Result<Vec<f32>, ModelError> {
        batch.validate(self.config.model.inputs)?;
        let model = self.model();
        let rows = batch.frames * batch.len();
        let input = self.place_features(batch)?;
        let scores =
            backpropagation::scores(&model, input.features, &input.lengths, self.options());
        let [padded_rows, classes] = scores.dims();
        let found = log_softmax(scores, 1).reshape([padded_rows * classes]);
        let mut found = self.read(found)?;
        found.truncate(rows * classes);
        Ok(found)
    }

    fn save(&self, path: &Path, tag: &str) -> Result<(), ModelError> {
        let checkpoint = Checkpoint {
            tag: tag.to_owned(),
            about: About {
                model: self.config.model.clone(),
                optimiser: self.config.optimiser,
                step: self.step,
                epoch: self.epoch,
                seed: self.config.seed,
            },
            parameters: self.read(self.parameters.clone())?,
            first: self.read(self.moments.first.clone())?,
            second: self.read(self.moments.second.clone())?,
        };
        checkpoint.write(path)
    }

    fn load(&mut self, path: &Path) -> Result<String, ModelError> {
        let checkpoint = Checkpoint::read(path)?;
        checkpoint.about.fits(path, &self.config)?;
        self.parameters = to_device(checkpoint.parameters, &self.device);
        self.moments = Moments {
            first: to_device(checkpoint.first, &self.device),
            second: to_device(checkpoint.second, &self.device),
        };
        self.step = checkpoint.about.step;
        self.epoch = checkpoint.about.epoch;
        self.config.seed = checkpoint.about.seed;
        Ok(checkpoint.tag)
    }

    fn parameters(&self) -> Result<Vec<f32>, ModelError> {
        self.read(self.parameters.clone())
    }

    fn set_parameters(&mut self, parameters: &[f32]) -> Result<(), ModelError> {
        let count = self.config.model.parameter_count();
        if parameters.len() != count {
            return Err(ModelError::from(SettingError::new(
                "the number of parameters",
                parameters.len(),
                "pass BlstmConfig::parameter_count values",
            )));
        }
        self.parameters = to_device(parameters.to_vec(), &self.device);
        Ok(())
    }

    fn memory(&self) -> Option<Memory> {
        let memory = (self.memory)(&self.device)?;
        Some(Memory {
            peak: self.watched,
            ..memory
        })
    }

    fn watch_memory(&mut self, watch: bool) {
        self.watched = watch.then_some(0);
    }

    fn synchronise(&self) -> Result<(), ModelError> {
        B::sync(&self.device).map_err(|error| self.failed(error))
    }
}

impl<B: KernelBackend> BackendTrainer<B> {
    /// Clips the gradients and updates the parameters.
    fn update(&mut self, mut gradients: Tensor<B, 1>) {
        if let Some(most) = self.config.clip_norm {
            gradients = B::clip_global_norm(gradients, most);
        }
        let empty = || Tensor::empty([0], &self.device);
        let moments = Moments {
            first: std::mem::replace(&mut self.moments.first, empty()),
            second: std::mem::replace(&mut self.moments.second, empty()),
        };
        let parameters = std::mem::replace(&mut self.parameters, empty());
        let rate = self.config.schedule.factor(self.epoch);
        let rule = optimiser::rule(&self.config.optimiser, rate, self.step);
        (self.parameters, self.moments) = B::update(rule, parameters, gradients, moments);
    }

    /// Reads a tensor's values; waits for the device.
    fn read<E: Element, K: BasicOps<B>>(
        &self,
        tensor: Tensor<B, 1, K>,
    ) -> Result<Vec<E>, ModelError> {
        let data = tensor.try_into_data();
        let data = data.map_err(|error| self.failed(error))?.convert::<E>();
        data.to_vec()
            .map_err(|error| self.failed(format!("{error:?}")))
    }
}

/// Converts a loss read from the device: the sum, and the number of wrong frames.
fn loss_sum(values: &[f32], counted: u64) -> LossSum {
    LossSum {
        sum: f64::from(values[0]),
        wrong: f64::from(values[1]) as u64,
        counted,
    }
}

fn to_device<B: Backend>(values: Vec<f32>, device: &B::Device) -> Tensor<B, 1> {
    let count = values.len();
    Tensor::from_data(TensorData::new(values, [count]), device)
}
