//! The recurrence of one bidirectional layer, the part that must go frame by frame: what it is given and what it gives.
//!
//! It is a pair of functions, forward and backward, and there are several ways to run it behind the same contract:
//!
//! - [`crate::network::reference`]: burn's own operations, any backend, slow and plain: what the others are checked against.
//! - `fused`: the fast way of each backend. On the CPU a direct implementation over slices ([`padwise_cpu_kernels`]); on GPUs CubeCL
//!   kernels with one launch a time step for both directions, the same source for CUDA, Vulkan, Metal and WebGPU.
//! - `persistent`: CUDA alone, one launch a layer and pass.
//!
//! The contract: projections `[T, B, 8H]` hold `x·Wᵀ` without bias, forward direction's gates `i, f, g, o` first, then the
//! reverse direction's. What they hold at padding must not matter, be it NaN. Outputs and gate gradients at padding are
//! exactly zero.

use burn::tensor::Tensor;
use burn::tensor::backend::Backend;
use padwise_model_config::{Precision, Recurrence};

use crate::batch::Lengths;

/// How a layer is computed, which does not change what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LayerOptions {
    /// Which recurrence.
    pub recurrence: Recurrence,
    /// Which arithmetic in the large matrix multiplications.
    pub precision: Precision,
}

impl From<Recurrence> for LayerOptions {
    fn from(recurrence: Recurrence) -> Self {
        Self {
            recurrence,
            ..Self::default()
        }
    }
}

/// What the forward pass is given.
#[derive(Debug, Clone)]
pub struct ForwardInput<'a, B: Backend> {
    /// The inputs' share of the gates, `[T, B, 8H]`.
    pub projections: Tensor<B, 3>,
    /// The sum of both biases, `[8H]`.
    pub bias: Tensor<B, 1>,
    /// Recurrent weights, `[2, 4H, H]`.
    pub weight_hh: Tensor<B, 3>,
    /// The batch's lengths.
    pub lengths: &'a Lengths<B>,
}

/// What the forward pass leaves behind: the layer's output, and what its backward pass needs.
#[derive(Debug, Clone)]
pub struct Unrolled<B: Backend> {
    /// `h`, `[T, B, 2H]`: forward half, then reverse; zero at padding.
    pub output: Tensor<B, 3>,
    /// The gates after their nonlinearities, `[T, B, 8H]`; unspecified, but finite, at padding.
    pub gates: Tensor<B, 3>,
    /// `c`, `[T, B, 2H]`.
    pub cells: Tensor<B, 3>,
}

/// What the backward pass is given. It finds the gradient with respect to the gates before their nonlinearities, `[T, B, 8H]`.
#[derive(Debug, Clone)]
pub struct BackwardInput<'a, B: Backend> {
    /// The gradient of the output, `[T, B, 2H]`.
    pub grad_output: Tensor<B, 3>,
    /// The gates that the forward pass left.
    pub gates: Tensor<B, 3>,
    /// The cells that the forward pass left.
    pub cells: Tensor<B, 3>,
    /// Recurrent weights, `[2, 4H, H]`.
    pub weight_hh: Tensor<B, 3>,
    /// The batch's lengths.
    pub lengths: &'a Lengths<B>,
}
