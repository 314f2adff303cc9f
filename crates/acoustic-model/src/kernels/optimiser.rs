//! The optimiser's state: one flat vector of all parameters, and two running averages of the same length.
//!
//! With one flat vector, a step makes one pass over memory, and the global gradient norm is one sum.

use burn_tensor::Tensor;
use burn_tensor::backend::Backend;
pub use padwise_cpu_kernels::{AdadeltaStep, AdamStep, UpdateRule};

/// The two running averages of an optimiser.
#[derive(Debug, Clone)]
pub struct Moments<B: Backend> {
    /// Adam: gradients. ADADELTA: squared gradients.
    pub first: Tensor<B, 1>,
    /// Adam: squared gradients. ADADELTA: squared steps.
    pub second: Tensor<B, 1>,
}

impl<B: Backend> Moments<B> {
    /// The initial state: zeros.
    pub fn zeros_like(parameters: &Tensor<B, 1>) -> Self {
        Self {
            first: parameters.zeros_like(),
            second: parameters.zeros_like(),
        }
    }
}
