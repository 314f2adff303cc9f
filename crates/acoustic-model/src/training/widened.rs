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

    fn log_probabilities(&mut self, batch: PaddedBatch) -> Result<Vec<f32>, ModelError> {
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

#[cfg(all(test, feature = "cpu"))]
mod tests {
    use padwise_model_config::{BackendChoice, BlstmConfig, Optimiser, OptimiserConfig};

    use super::*;
    use crate::backend::{self, cpu};
    use crate::batch::Targets;

    fn config(optimiser: Optimiser) -> TrainerConfig {
        TrainerConfig {
            optimiser: OptimiserConfig::new(optimiser, None),
            clip_norm: Some(0.5),
            seed: 3,
            ..TrainerConfig::new(BlstmConfig::new(2, 4).with_layers(2).with_hidden(5))
        }
    }

    fn widened(config: TrainerConfig) -> Box<dyn Trainer> {
        Box::new(WidenedTrainer::new(config, 8, cpu::trainer).expect("a trainer"))
    }

    fn batch(seed: usize) -> PaddedBatch {
        let value = |at: usize| ((at * 37 + seed * 11) % 17) as f32 / 8.0 - 1.0;
        PaddedBatch {
            inputs: (0..6 * 3 * 2).map(value).collect(),
            lengths: vec![6, 2, 5],
            frames: 6,
            targets: Targets::Frames((0..18).map(|at| (at + seed as i32) % 4).collect()),
        }
    }

    fn train(trainer: &mut dyn Trainer, steps: std::ops::Range<usize>) -> Vec<f64> {
        for step in steps {
            trainer.step(batch(step % 5)).expect("a step");
        }
        let losses = trainer.take_losses().expect("losses");
        losses.iter().map(|loss| loss.sum).collect()
    }

    #[test]
    fn wider_layers_train_like_the_model() {
        for optimiser in [Optimiser::Adam, Optimiser::Adadelta] {
            let config = config(optimiser);
            let mut plain =
                backend::trainer(BackendChoice::Cpu, config.clone()).expect("a trainer");
            let mut wide = widened(config);
            assert_eq!(
                wide.parameters().expect("parameters"),
                plain.parameters().expect("parameters")
            );
            assert_eq!(wide.describe().parameters, plain.describe().parameters);
            let close = |found: &[f64], expected: &[f64]| {
                assert_eq!(found.len(), expected.len());
                for (found, expected) in found.iter().zip(expected) {
                    let error = (found - expected).abs();
                    assert!(error < 1e-4 * (1.0 + expected.abs()), "{found} {expected}");
                }
            };
            close(&train(wide.as_mut(), 0..20), &train(plain.as_mut(), 0..20));
            let wide_values =
                |values: Vec<f32>| values.into_iter().map(f64::from).collect::<Vec<_>>();
            let gradients = |trainer: &mut dyn Trainer| {
                let found = trainer.gradients(batch(1)).expect("gradients").values;
                trainer.apply(&found).expect("applied");
                wide_values(found)
            };
            close(&gradients(wide.as_mut()), &gradients(plain.as_mut()));
            let parameters =
                |trainer: &dyn Trainer| wide_values(trainer.parameters().expect("read"));
            close(&parameters(wide.as_ref()), &parameters(plain.as_ref()));
        }
    }

    #[test]
    fn a_checkpoint_resumes_to_the_same_bits() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("checkpoint.safetensors");
        let mut config = config(Optimiser::Adam);
        config.model.dropout = 0.2;
        let mut whole = widened(config.clone());
        let expected = train(whole.as_mut(), 0..8);
        let mut first = widened(config.clone());
        let before = train(first.as_mut(), 0..4);
        first.save(&path, "half").expect("saved");
        // Another seed: the checkpoint's counts.
        config.seed = 9;
        let mut second = widened(config);
        assert_eq!(second.load(&path).expect("loaded"), "half");
        let after = train(second.as_mut(), 4..8);
        assert_eq!([before, after].concat(), expected);
    }
}
