//! The recurrence of one bidirectional layer: the part that must go frame by frame.
//!
//! Everything else in a layer is large matrix products over all frames at once ([`crate::layer`]); what is left is, for
//! each direction, `T` dependent steps of a small product and the gates. It is a pair of functions, forward and
//! backward, and there are several ways to run it behind the same contract:
//!
//! - [`mod@reference`]: burn's own operations, any backend, slow and plain: what the others are checked against.
//! - `fused`: the fast way of each backend. On the CPU a direct implementation over slices ([`padwise_cpu_kernels`]); on GPUs CubeCL kernels with one
//!   launch a time step for both directions (`cube`), the same source for CUDA, Vulkan, Metal and WebGPU.
//! - `persistent`: CUDA alone, one launch a layer and pass.
//!
//! The contract: projections `[T, B, 8H]` hold `x·Wᵀ` without bias, forward direction's gates `i, f, g, o` first, then the
//! reverse direction's. What they hold at padding must not matter, be it NaN. Outputs and gate gradients at padding are
//! exactly zero.

use burn::prelude::*;
use padwise_model_config::Recurrence;

use crate::products::Bound;
use crate::{LayerOptions, Lengths};

#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub mod cube;
#[cfg(feature = "cuda")]
pub(crate) mod persistent;
pub mod reference;

/// What the recurrence leaves behind: the layer's output, and what its backward pass needs.
#[derive(Debug, Clone)]
pub struct Unrolled<B: Backend> {
    /// `h`, `[T, B, 2H]`: forward half, then reverse; zero at padding.
    pub output: Tensor<B, 3>,
    /// The gates after their nonlinearities, `[T, B, 8H]`; unspecified, but finite, at padding.
    pub gates: Tensor<B, 3>,
    /// `c`, `[T, B, 2H]`.
    pub cells: Tensor<B, 3>,
}

/// Runs the recurrence of a layer over a padded batch.
pub(crate) fn forward<B: crate::KernelBackend>(
    options: LayerOptions,
    projections: Tensor<B, 3>,
    bias: Tensor<B, 1>,
    weight_hh: Tensor<B, 3>,
    lengths: &Lengths<B>,
) -> Unrolled<B> {
    let [frames, batch, columns] = projections.dims();
    assert_fits(lengths, [frames, batch, columns], &weight_hh);
    match options.recurrence {
        Recurrence::Reference => reference::forward(projections, bias, weight_hh, lengths),
        Recurrence::Fused => {
            B::fused_forward(projections, bias, weight_hh, lengths, options.precision)
        }
        Recurrence::Persistent | Recurrence::Auto => {
            B::fastest_forward(projections, bias, weight_hh, lengths, options.precision)
        }
    }
}

/// Carries the gradient of a layer's output back through the recurrence: the gradient with respect to the gates before
/// their nonlinearities, `[T, B, 8H]`, zero at padding; and what is known of its magnitudes.
pub(crate) fn backward<B: crate::KernelBackend>(
    options: LayerOptions,
    grad_output: Tensor<B, 3>,
    gates: Tensor<B, 3>,
    cells: Tensor<B, 3>,
    weight_hh: Tensor<B, 3>,
    lengths: &Lengths<B>,
) -> (Tensor<B, 3>, Bound<B>) {
    assert_fits(lengths, gates.dims(), &weight_hh);
    match options.recurrence {
        Recurrence::Reference => (
            reference::backward(grad_output, gates, cells, weight_hh, lengths),
            Bound::Unknown,
        ),
        Recurrence::Fused => (
            B::fused_backward(
                grad_output,
                gates,
                cells,
                weight_hh,
                lengths,
                options.precision,
            ),
            Bound::Unknown,
        ),
        Recurrence::Persistent | Recurrence::Auto => B::fastest_backward(
            grad_output,
            gates,
            cells,
            weight_hh,
            lengths,
            options.precision,
        ),
    }
}

/// Kernels trust shapes, so a caller who mixes up two batches is told here, before any of them runs.
fn assert_fits<B: Backend>(
    lengths: &Lengths<B>,
    [frames, batch, columns]: [usize; 3],
    weight_hh: &Tensor<B, 3>,
) {
    assert_eq!(
        [lengths.frames(), lengths.batch()],
        [frames, batch],
        "the lengths are those of another batch"
    );
    assert_eq!(
        weight_hh.dims(),
        [2, columns / 2, columns / 8],
        "the recurrent weights are those of another layer"
    );
}
