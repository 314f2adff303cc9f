//! The two halves of a training step: gradients of a batch, and the update of the parameters.

use burn_tensor::Tensor;

use super::backend_trainer::BackendTrainer;
use super::optimiser;
use crate::batch::PaddedBatch;
use crate::error::ModelError;
use crate::kernels::KernelBackend;
use crate::kernels::dropout::TrainingStep;
use crate::kernels::optimiser::Moments;
use crate::network::backpropagation;
use crate::profiler::{self, StepPhase};

impl<B: KernelBackend> BackendTrainer<B> {
    /// Computes the gradients of the mean loss of a batch. Also returns how many labels this mean is over.
    pub(super) fn differentiate(
        &mut self,
        batch: PaddedBatch,
    ) -> Result<(Tensor<B, 1>, u64), ModelError> {
        let training = TrainingStep {
            dropout: self.config.model.dropout,
            seed: worker_seed(self.config.seed, self.worker),
            step: self.step,
        };
        let device = self.device.clone();
        let batch = profiler::timed::<B, _>(StepPhase::Copy, &device, || self.place(batch))?;
        let options = self.options(&batch.input.layout);
        let model = self.model(options);
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
            &batch.input.layout,
            options,
            Some(training),
        );
        let found = profiler::timed::<B, _>(StepPhase::Loss, &device, || {
            batch
                .labels
                .loss_and_gradient(scores, self.config.precision)
        })?;
        watch();
        drop(found.tables);
        let gradients = pass.backward(found.gradient, watch);
        drop(model);
        self.watched = peak;
        let counted = found.loss.counted;
        self.pending.push(found.loss);
        Ok((gradients, counted))
    }

    /// Clips the gradients and updates the parameters.
    pub(super) fn update(&mut self, gradients: Tensor<B, 1>) {
        let empty = || Tensor::empty([0], &self.device);
        let moments = Moments {
            first: std::mem::replace(&mut self.moments.first, empty()),
            second: std::mem::replace(&mut self.moments.second, empty()),
        };
        let parameters = std::mem::replace(&mut self.parameters, empty());
        let rule = optimiser::rule(
            &self.config.optimiser,
            self.rate_factor,
            self.step - self.optimiser_start,
        );
        let clip = self.config.clip_norm;
        (self.parameters, self.moments) = B::update(rule, clip, parameters, gradients, moments);
    }
}

/// The seed of a worker's dropout: the run's for worker 0, another one for every other worker.
fn worker_seed(seed: u64, worker: usize) -> u64 {
    seed ^ (worker as u64).wrapping_mul(0xD1B5_4A32_D192_ED03)
}
