//! Clipping by the norm of all gradients together, as PyTorch's `clip_grad_norm_` does, without waiting for the device to tell the norm.

use burn::prelude::*;

#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub(crate) mod cube;

/// Added to the norm, as PyTorch adds it.
const EPSILON: f64 = 1e-6;

/// See [`crate::KernelBackend::clip_global_norm`].
pub(crate) fn plain<B: Backend>(gradients: Tensor<B, 1>, most: f64) -> Tensor<B, 1> {
    let norm = (gradients.clone() * gradients.clone()).sum().sqrt();
    let scale = (norm + EPSILON).recip().mul_scalar(most);
    // Not a minimum, which may take 1 for what is no number: a norm that is none reaches all gradients, as it does in PyTorch.
    let spared = scale.clone().greater_equal_elem(1.0);
    gradients * scale.mask_fill(spared, 1.0)
}
