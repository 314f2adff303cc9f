//! Adam in burn's own operations, with PyTorch's order of corrections: epsilon is added to the corrected root.

use burn::prelude::*;

use super::Moments;

/// One step of Adam, its bias corrections worked out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamStep {
    /// Decay of the running mean.
    pub beta1: f64,
    /// Decay of the running square.
    pub beta2: f64,
    /// Added to the root of the corrected running square.
    pub epsilon: f64,
    /// The learning rate over the mean's bias correction.
    pub step_size: f64,
    /// One over the root of the square's bias correction.
    pub root_correction: f64,
}

impl AdamStep {
    /// Step number `step`, from 1.
    pub fn new(learning_rate: f64, beta1: f64, beta2: f64, epsilon: f64, step: u64) -> Self {
        let exponent = step as f64;
        Self {
            beta1,
            beta2,
            epsilon,
            step_size: learning_rate / (1.0 - beta1.powf(exponent)),
            root_correction: 1.0 / (1.0 - beta2.powf(exponent)).sqrt(),
        }
    }
}

pub(super) fn default_learning_rate() -> f64 {
    1e-3
}

pub(super) fn default_beta1() -> f64 {
    0.9
}

pub(super) fn default_beta2() -> f64 {
    0.999
}

pub(super) fn default_epsilon() -> f64 {
    1e-8
}

/// See [`crate::KernelBackend::adam`].
pub(crate) fn plain<B: Backend>(
    parameters: Tensor<B, 1>,
    gradients: Tensor<B, 1>,
    moments: Moments<B>,
    step: AdamStep,
) -> (Tensor<B, 1>, Moments<B>) {
    let first = moments.first * step.beta1 + gradients.clone() * (1.0 - step.beta1);
    let squares = gradients.clone() * gradients;
    let second = moments.second * step.beta2 + squares * (1.0 - step.beta2);
    let root = second.clone().sqrt() * step.root_correction + step.epsilon;
    let parameters = parameters - first.clone() / root * step.step_size;
    (parameters, Moments { first, second })
}
