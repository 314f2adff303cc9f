//! What an optimiser moves: one flat vector of all parameters, and two running averages beside it.
//!
//! One vector means one pass over memory a step, whatever the number of layers, and a global gradient norm in one sum.

use burn::tensor::Tensor;
use burn::tensor::backend::Backend;
pub use padwise_cpu_kernels::{AdadeltaStep, AdamStep, UpdateRule};

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
