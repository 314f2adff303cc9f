//! A trainer whose layers are wider than the model's, for kernels that support some hidden sizes only.
//!
//! The additional units have zero weights and biases. Their cell state and output are then always 0, and so are all
//! gradients of their parameters, so they stay 0 with every optimiser. The other units compute what they would without
//! them. Only dropout differs: it depends on a value's index, and wider layers have more values.

use std::path::Path;

use padwise_model_config::TrainerConfig;

use super::backend_trainer::check_count;
use super::checkpoint::Checkpoint;
use super::trainer::{
    Description, Evaluation, Gradients, LossSum, Memory, OptimiserSnapshot, RunningAverages,
    Trainer,
};
use super::wide_parameters::WideParameters;
use crate::batch::PaddedBatch;
use crate::error::ModelError;
use crate::network::initial;

/// Creates trainers of a backend.
type Create = fn(TrainerConfig) -> Result<Box<dyn Trainer>, ModelError>;

/// A model in training, with wider layers on the device.
pub(crate) struct WidenedTrainer {
    config: TrainerConfig,
    description: Description,
    create: Create,
    wide: WideParameters,
    inner: Box<dyn Trainer>,
    rate_factor: f64,
    worker: usize,
    watches_memory: bool,
}

impl WidenedTrainer {
    /// Creates a trainer whose layers have `hidden` units on the device, at least as many as the model's.
    pub(crate) fn new(
        config: TrainerConfig,
        hidden: usize,
        create: Create,
    ) -> Result<Self, ModelError> {
        let wide = WideParameters::new(&config.model, hidden);
        let initial = initial::parameters(&config.model, config.seed)?;
        let mut inner = create(wide.config(&config))?;
        inner.set_parameters(&wide.widen(&initial))?;
        let description = Description {
            parameters: config.model.parameter_count(),
            ..inner.describe().clone()
        };
        Ok(Self {
            config,
            description,
            create,
            wide,
            inner,
            rate_factor: 1.0,
            worker: 0,
            watches_memory: false,
        })
    }
}

impl Trainer for WidenedTrainer {
    fn describe(&self) -> &Description {
        &self.description
    }

    fn set_rate_factor(&mut self, factor: f64) {
        self.rate_factor = factor;
        self.inner.set_rate_factor(factor);
    }

    fn step(&mut self, batch: PaddedBatch) -> Result<(), ModelError> {
        self.inner.step(batch)
    }

    fn take_losses(&mut self) -> Result<Vec<LossSum>, ModelError> {
        self.inner.take_losses()
    }

    fn evaluate(&mut self, batch: PaddedBatch) -> Result<Evaluation, ModelError> {
        self.inner.evaluate(batch)
    }

    fn log_probabilities(&mut self, batch: PaddedBatch) -> Result<Vec<Vec<f32>>, ModelError> {
        self.inner.log_probabilities(batch)
    }

    fn save(&self, path: &Path, tag: &str) -> Result<(), ModelError> {
        let parameters = self.parameters()?;
        Checkpoint::of(&self.config, tag, parameters, self.optimiser()?).write(path)
    }

    fn load(&mut self, path: &Path) -> Result<String, ModelError> {
        let mut checkpoint = Checkpoint::read(path)?;
        checkpoint.about.fits(path, &self.config)?;
        if self.config.seed != checkpoint.about.seed {
            // A trainer's seed cannot change, so there is a new one.
            let config = TrainerConfig {
                seed: checkpoint.about.seed,
                ..self.config.clone()
            };
            self.inner = (self.create)(self.wide.config(&config))?;
            self.inner.set_rate_factor(self.rate_factor);
            self.inner.set_worker(self.worker);
            self.inner.watch_memory(self.watches_memory);
            self.config = config;
        }
        self.set_parameters(&checkpoint.parameters)?;
        self.set_optimiser(checkpoint.take_optimiser())?;
        Ok(checkpoint.tag)
    }

    fn parameters(&self) -> Result<Vec<f32>, ModelError> {
        Ok(self.wide.narrow(&self.inner.parameters()?))
    }

    fn set_parameters(&mut self, parameters: &[f32]) -> Result<(), ModelError> {
        check_count(&self.config.model, parameters.len())?;
        self.inner.set_parameters(&self.wide.widen(parameters))
    }

    fn steps(&self) -> u64 {
        self.inner.steps()
    }

    fn optimiser(&self) -> Result<OptimiserSnapshot, ModelError> {
        let found = self.inner.optimiser()?;
        let narrow = |averages: RunningAverages| RunningAverages {
            first: self.wide.narrow(&averages.first),
            second: self.wide.narrow(&averages.second),
        };
        Ok(OptimiserSnapshot {
            averages: found.averages.map(narrow),
            ..found
        })
    }

    fn set_optimiser(&mut self, optimiser: OptimiserSnapshot) -> Result<(), ModelError> {
        let mut wide = OptimiserSnapshot {
            averages: None,
            ..optimiser
        };
        if let Some(averages) = optimiser.averages {
            check_count(&self.config.model, averages.first.len())?;
            check_count(&self.config.model, averages.second.len())?;
            wide.averages = Some(RunningAverages {
                first: self.wide.widen(&averages.first),
                second: self.wide.widen(&averages.second),
            });
        }
        self.inner.set_optimiser(wide)
    }

    fn set_worker(&mut self, worker: usize) {
        self.worker = worker;
        self.inner.set_worker(worker);
    }

    fn gradients(&mut self, batch: PaddedBatch) -> Result<Gradients, ModelError> {
        let found = self.inner.gradients(batch)?;
        Ok(Gradients {
            values: self.wide.narrow(&found.values),
            counted: found.counted,
        })
    }

    fn apply(&mut self, gradients: &[f32]) -> Result<(), ModelError> {
        check_count(&self.config.model, gradients.len())?;
        self.inner.apply(&self.wide.widen(gradients))
    }

    fn memory(&self) -> Option<Memory> {
        self.inner.memory()
    }

    fn watch_memory(&mut self, watch: bool) {
        self.watches_memory = watch;
        self.inner.watch_memory(watch);
    }

    fn synchronise(&self) -> Result<(), ModelError> {
        self.inner.synchronise()
    }
}
