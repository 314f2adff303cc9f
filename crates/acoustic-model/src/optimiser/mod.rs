//! Optimisers over one flat vector of all parameters: Adam (Kingma and Ba, 2015) and ADADELTA (Zeiler, 2012), with PyTorch's
//! formulas, so that a run here and a run there descend the same way.
//!
//! One vector means one pass over memory a step, whatever the number of layers, and a global gradient norm in one sum.

use burn::prelude::*;
use padwise_model_config::OptimiserConfig;

use crate::KernelBackend;

pub(crate) mod adadelta;
pub(crate) mod adam;

#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub(crate) mod clip;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub(crate) mod cube;

pub use padwise_cpu_kernels::{AdadeltaStep, AdamStep};

/// The two running averages of either optimiser, each as long as the parameters: Adam's mean and square, or ADADELTA's
/// square of gradients and square of steps.
#[derive(Debug, Clone)]
pub struct Moments<B: Backend> {
    /// Adam's mean; ADADELTA's squared gradients.
    pub first: Tensor<B, 1>,
    /// Adam's squared gradients; ADADELTA's squared steps.
    pub second: Tensor<B, 1>,
}

impl<B: Backend> Moments<B> {
    /// What an optimiser starts from.
    pub fn zeros_like(parameters: &Tensor<B, 1>) -> Self {
        Self {
            first: parameters.zeros_like(),
            second: parameters.zeros_like(),
        }
    }
}

/// Takes step number `step` (from 1) with the learning rate scaled by `rate`.
pub fn update<B: KernelBackend>(
    config: &OptimiserConfig,
    rate: f64,
    step: u64,
    parameters: Tensor<B, 1>,
    gradients: Tensor<B, 1>,
    moments: Moments<B>,
) -> (Tensor<B, 1>, Moments<B>) {
    match *config {
        OptimiserConfig::Adam {
            learning_rate,
            beta1,
            beta2,
            epsilon,
        } => {
            let step = AdamStep::new(learning_rate * rate, beta1, beta2, epsilon, step);
            B::adam(parameters, gradients, moments, step)
        }
        OptimiserConfig::Adadelta {
            learning_rate,
            rho,
            epsilon,
        } => {
            let step = AdadeltaStep {
                learning_rate: learning_rate * rate,
                rho,
                epsilon,
            };
            B::adadelta(parameters, gradients, moments, step)
        }
    }
}
