//! Adam in burn's own operations, with PyTorch's order of corrections: epsilon is added to the corrected root.

use burn::prelude::*;

use super::{AdamStep, Moments};

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
