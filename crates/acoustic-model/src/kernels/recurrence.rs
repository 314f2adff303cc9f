//! The interface of the recurrence of one bidirectional layer, the part that must run frame by frame.
//!
//! It is a pair of functions, forward and backward, with several implementations:
//!
//! - [`crate::network::reference`]: burn's operations, on any backend. Slow and simple; used to verify the
//!   others.
//! - `fused`: the fast implementation of each backend. The CPU works directly on slices
//!   ([`padwise_cpu_kernels`]). GPUs run CubeCL kernels, one launch per time step for both directions, with
//!   the same source for CUDA, Vulkan, Metal and WebGPU.
//! - `persistent`: CUDA only, one launch per layer and pass (two for large layers). Where it writes f16 factors, a second launch of
//!   the backward pass computes them again if they overflow.
//!
//! All follow the same specification. A tensor has one row per frame, in the order of [`crate::RowLayout`]. Projections
//! `[N, 8H]` are `x·Wᵀ` without bias, with the forward direction's gates `i, f, g, o` first, then the reverse direction's. A
//! backend may ask for another order within a direction ([`GateOrder`]).
//! Their contents at the padding of a padded batch are ignored, even NaN. The rows of a packed batch that are no frame are
//! zero. Outputs and gate gradients at padding are exactly zero. The backward pass returns the gradient of the gates before activation,
//! `[N, 8H]`.

use burn_tensor::Tensor;
use burn_tensor::backend::Backend;
use padwise_model_config::{Precision, Recurrence};

use super::KernelBackend;
use super::gemm::{Operand, Product};
use crate::batch::BatchLayout;

/// The order of a layer's gates in projections, gates and gate gradients. The parameters are always in the order [`GateOrder::ByGate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GateOrder {
    /// The gate `i` of all units, then `f`, `g` and `o`.
    #[default]
    ByGate,
    /// The four gates of the first unit, then those of the next one.
    Interleaved,
}

/// How a layer is computed. The options do not change the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LayerOptions {
    /// The implementation of the recurrence.
    pub recurrence: Recurrence,
    /// The precision of the large matrix multiplications.
    pub precision: Precision,
    /// The order of the gates.
    pub gates: GateOrder,
}

impl LayerOptions {
    /// The same options, with the order of gates that is fastest for layers of this size and a batch.
    #[must_use]
    pub fn in_order<B: KernelBackend>(self, hidden: usize, layout: &BatchLayout<B>) -> Self {
        Self {
            gates: B::gate_order(hidden, layout, self),
            ..self
        }
    }
}

impl From<Recurrence> for LayerOptions {
    fn from(recurrence: Recurrence) -> Self {
        Self {
            recurrence,
            ..Self::default()
        }
    }
}

/// Inputs of the forward pass.
#[derive(Debug, Clone)]
pub struct ForwardInput<'a, B: Backend> {
    /// The inputs multiplied by the input weights, `[N, 8H]`.
    pub projections: Tensor<B, 2>,
    /// Both biases, each `[8H]`.
    pub biases: [Tensor<B, 1>; 2],
    /// Recurrent weights, `[2, 4H, H]`.
    pub weight_hh: Tensor<B, 3>,
    /// The batch's rows.
    pub layout: &'a BatchLayout<B>,
    /// Whether the output may be a factor. Otherwise it is a matrix.
    pub may_be_factor: bool,
}

impl<B: Backend> ForwardInput<'_, B> {
    /// The sum of both biases.
    pub fn bias(&self) -> Tensor<B, 1> {
        let [of_input, recurrent] = self.biases.clone();
        of_input + recurrent
    }
}

/// Results of the forward pass: the layer's output, and the values that the backward pass needs.
#[derive(Debug, Clone)]
pub struct Unrolled<B: KernelBackend> {
    /// `h`, `[N, 2H]`: forward half, then reverse; zero at padding.
    pub output: Operand<B>,
    /// The activated gates, `[N, 8H]`, in the options' order, and f32 or, if the backend's projections were, f16; unspecified, but finite,
    /// at padding.
    pub gates: Tensor<B, 2>,
    /// `c`, `[N, 2H]`.
    pub cells: Tensor<B, 2>,
}

/// Inputs of the backward pass.
#[derive(Debug, Clone)]
pub struct BackwardInput<'a, B: Backend> {
    /// The gradient of the output, `[N, 2H]`.
    pub grad_output: Product<B>,
    /// The gates from the forward pass.
    pub gates: Tensor<B, 2>,
    /// The cells from the forward pass.
    pub cells: Tensor<B, 2>,
    /// Recurrent weights, `[2, 4H, H]`.
    pub weight_hh: Tensor<B, 3>,
    /// The batch's rows.
    pub layout: &'a BatchLayout<B>,
    /// Whether the gate gradients may be a factor. Otherwise they are a matrix.
    pub may_be_factor: bool,
}
