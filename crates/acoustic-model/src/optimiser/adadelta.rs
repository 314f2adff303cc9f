//! ADADELTA in burn's own operations.

use burn::prelude::*;

use super::{AdadeltaStep, Moments};

/// See [`crate::KernelBackend::adadelta`].
pub(crate) fn plain<B: Backend>(
    parameters: Tensor<B, 1>,
    gradients: Tensor<B, 1>,
    moments: Moments<B>,
    step: AdadeltaStep,
) -> (Tensor<B, 1>, Moments<B>) {
    let squares = gradients.clone() * gradients.clone();
    let first = moments.first * step.rho + squares * (1.0 - step.rho);
    let root = (first.clone() + step.epsilon).sqrt();
    let delta = (moments.second.clone() + step.epsilon).sqrt() / root * gradients;
    let second = moments.second * step.rho + delta.clone() * delta.clone() * (1.0 - step.rho);
    let parameters = parameters - delta * step.learning_rate;
    (parameters, Moments { first, second })
}
