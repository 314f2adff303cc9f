//! The trainer for any backend: forward, loss, backward, clip, update.
//!
//! Between steps, the parameters are stored in one flat vector. A step splits it into the model's tensors and
//! concatenates the gradients again. Losses stay on the device until they are requested.

use std::path::Path;

use burn_tensor::activation::log_softmax;
use burn_tensor::backend::Backend;
use burn_tensor::{BasicOps, Element, Tensor, TensorData};
use padwise_model_config::{BlstmConfig, SettingError, TrainerConfig};
use rayon::prelude::*;

use super::checkpoint::Checkpoint;
use super::pending::PendingLosses;
use super::placing::Placed;
use super::trainer::{
    Description, Evaluation, Gradients, LossSum, Memory, OptimiserSnapshot, RunningAverages,
    Trainer,
};
use crate::batch::{BatchLayout, PaddedBatch};
use crate::error::ModelError;
use crate::kernels::KernelBackend;
use crate::kernels::optimiser::Moments;
use crate::kernels::recurrence::LayerOptions;
use crate::network::blstm::Blstm;
use crate::network::{backpropagation, initial};
use crate::profiler::{self, StepPhase};

/// A model in training on backend `B`.
pub struct BackendTrainer<B: KernelBackend> {
    pub(super) config: TrainerConfig,
    pub(super) description: Description,
    pub(super) device: B::Device,
    pub(super) memory: fn(&B::Device) -> Option<Memory>,
    pub(super) parameters: Tensor<B, 1>,
    pub(super) moments: Moments<B>,
    pub(super) step: u64,
    /// The step at which the optimiser last started anew.
    pub(super) optimiser_start: u64,
    pub(super) worker: usize,
    pub(super) rate_factor: f64,
    pub(super) pending: PendingLosses<B>,
    pub(super) watched: Option<u64>,
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
            optimiser_start: 0,
            worker: 0,
            rate_factor: 1.0,
            pending: PendingLosses::default(),
            watched: None,
        })
    }

    pub(super) fn model(&self, options: LayerOptions) -> Blstm<B> {
        profiler::timed::<B, _>(StepPhase::Gemm, &self.device, || {
            Blstm::from_flat(&self.config.model, self.parameters.clone(), options)
        })
    }

    /// How the layers are computed for a batch.
    pub(super) fn options(&self, layout: &BatchLayout<B>) -> LayerOptions {
        let options = LayerOptions {
            recurrence: self.config.recurrence,
            precision: self.config.precision,
            ..LayerOptions::default()
        };
        options.in_order(self.config.model.hidden, layout)
    }

    fn failed(&self, reason: impl ToString) -> ModelError {
        ModelError::Device {
            backend: self.description.backend,
            reason: reason.to_string(),
        }
    }
}

impl<B: KernelBackend> Trainer for BackendTrainer<B> {
    fn describe(&self) -> &Description {
        &self.description
    }

    fn set_rate_factor(&mut self, factor: f64) {
        self.rate_factor = factor;
    }

    fn step(&mut self, batch: PaddedBatch) -> Result<(), ModelError> {
        let (gradients, _) = self.differentiate(batch)?;
        self.step += 1;
        let device = self.device.clone();
        profiler::timed::<B, _>(StepPhase::Update, &device, || self.update(gradients));
        Ok(())
    }

    fn take_losses(&mut self) -> Result<Vec<LossSum>, ModelError> {
        let Some((values, counted)) = self.pending.take() else {
            return Ok(Vec::new());
        };
        let values = self.read(values)?;
        let pairs = values.chunks_exact(2).zip(counted);
        Ok(pairs
            .map(|(values, counted)| loss_sum(values, counted))
            .collect())
    }

    fn evaluate(&mut self, batch: PaddedBatch) -> Result<Evaluation, ModelError> {
        let places = batch.frames * batch.len();
        let Placed { input, labels } = self.place(batch)?;
        let layout = &input.layout;
        let options = self.options(layout);
        let scores = backpropagation::scores(&self.model(options), input.features, layout, options);
        let loss = labels.loss(scores.clone())?;
        let best = self.read(scores.argmax(1).reshape([layout.host().rows()]))?;
        let mut best = layout.host().to_time_major(best, 1);
        best.resize(places, 0);
        Ok(Evaluation {
            loss: loss_sum(&self.read(loss.values)?, loss.counted),
            best,
        })
    }

    fn log_probabilities(&mut self, batch: PaddedBatch) -> Result<Vec<Vec<f32>>, ModelError> {
        batch.validate(self.config.model.inputs)?;
        let input = self.place_features(batch)?;
        let layout = &input.layout;
        let options = self.options(layout);
        let scores = backpropagation::scores(&self.model(options), input.features, layout, options);
        let [_, classes] = scores.dims();
        let found = log_softmax(scores, 1).try_into_data();
        let found = found.map_err(|error| self.failed(error))?;
        // There are thousands of values per frame, so they are copied once, on all cores.
        let found = found.as_slice::<f32>();
        let found = found.map_err(|error| self.failed(format!("{error:?}")))?;
        let rows = layout.host();
        let of_utterance = |utterance: usize| {
            let frames = rows.lengths()[utterance] as usize;
            let mut own = Vec::with_capacity(frames * classes);
            for frame in 0..frames {
                let row = rows.row(utterance, frame);
                own.extend_from_slice(&found[row * classes..][..classes]);
            }
            own
        };
        let utterances = (0..rows.batch()).into_par_iter();
        Ok(utterances.map(of_utterance).collect())
    }

    fn save(&self, path: &Path, tag: &str) -> Result<(), ModelError> {
        let parameters = self.parameters()?;
        Checkpoint::of(&self.config, tag, parameters, self.optimiser()?).write(path)
    }

    fn load(&mut self, path: &Path) -> Result<String, ModelError> {
        let mut checkpoint = Checkpoint::read(path)?;
        checkpoint.about.fits(path, &self.config)?;
        self.set_parameters(&checkpoint.parameters)?;
        self.set_optimiser(checkpoint.take_optimiser())?;
        self.config.seed = checkpoint.about.seed;
        Ok(checkpoint.tag)
    }

    fn parameters(&self) -> Result<Vec<f32>, ModelError> {
        self.read(self.parameters.clone())
    }

    fn set_parameters(&mut self, parameters: &[f32]) -> Result<(), ModelError> {
        check_count(&self.config.model, parameters.len())?;
        self.parameters = to_device(parameters.to_vec(), &self.device);
        Ok(())
    }

    fn steps(&self) -> u64 {
        self.step
    }

    fn optimiser(&self) -> Result<OptimiserSnapshot, ModelError> {
        Ok(OptimiserSnapshot {
            averages: Some(RunningAverages {
                first: self.read(self.moments.first.clone())?,
                second: self.read(self.moments.second.clone())?,
            }),
            step: self.step,
            start: self.optimiser_start,
        })
    }

    fn set_optimiser(&mut self, optimiser: OptimiserSnapshot) -> Result<(), ModelError> {
        self.moments = match optimiser.averages {
            Some(RunningAverages { first, second }) => {
                check_count(&self.config.model, first.len())?;
                check_count(&self.config.model, second.len())?;
                Moments {
                    first: to_device(first, &self.device),
                    second: to_device(second, &self.device),
                }
            }
            None => Moments::zeros_like(&self.parameters),
        };
        self.step = optimiser.step;
        self.optimiser_start = optimiser.start;
        Ok(())
    }

    fn set_worker(&mut self, worker: usize) {
        self.worker = worker;
    }

    fn gradients(&mut self, batch: PaddedBatch) -> Result<Gradients, ModelError> {
        let (gradients, counted) = self.differentiate(batch)?;
        Ok(Gradients {
            values: self.read(gradients)?,
            counted,
        })
    }

    fn apply(&mut self, gradients: &[f32]) -> Result<(), ModelError> {
        check_count(&self.config.model, gradients.len())?;
        let gradients = to_device(gradients.to_vec(), &self.device);
        self.step += 1;
        self.update(gradients);
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
    /// Reads a tensor's values; waits for the device.
    pub(super) fn read<E: Element, K: BasicOps<B>>(
        &self,
        tensor: Tensor<B, 1, K>,
    ) -> Result<Vec<E>, ModelError> {
        let data = tensor.try_into_data();
        let data = data.map_err(|error| self.failed(error))?.convert::<E>();
        data.into_vec()
            .map_err(|error| self.failed(format!("{error:?}")))
    }
}

/// Checks that there is a value for every parameter of a model.
pub(super) fn check_count(model: &BlstmConfig, count: usize) -> Result<(), ModelError> {
    if count == model.parameter_count() {
        return Ok(());
    }
    Err(ModelError::from(SettingError::new(
        "the number of parameters",
        count,
        "pass BlstmConfig::parameter_count values",
    )))
}

/// Converts a loss read from the device: the sum, and the number of wrong frames.
fn loss_sum(values: &[f32], counted: u64) -> LossSum {
    LossSum {
        sum: f64::from(values[0]),
        wrong: f64::from(values[1]) as u64,
        counted,
    }
}

pub(super) fn to_device<B: Backend>(values: Vec<f32>, device: &B::Device) -> Tensor<B, 1> {
    let count = values.len();
    Tensor::from_data(TensorData::new(values, [count]), device)
}
