//! Selects the recurrence: the reference, or the backend's own. [`crate::kernels::recurrence`] has the
//! specification.

use burn_tensor::Tensor;
use burn_tensor::backend::Backend;
use padwise_model_config::Recurrence;

use super::reference;
use crate::batch::Lengths;
use crate::kernels::KernelBackend;
use crate::kernels::gemm::Bound;
use crate::kernels::recurrence::{BackwardInput, ForwardInput, LayerOptions, Unrolled};

/// Runs the recurrence of a layer over a padded batch.
pub(super) fn forward<B: KernelBackend>(
    options: LayerOptions,
    input: ForwardInput<'_, B>,
) -> Unrolled<B> {
    assert_fits(input.lengths, input.projections.dims(), &input.weight_hh);
    match options.recurrence {
        Recurrence::Reference => reference::forward(input),
        _ => B::recurrence_forward(input, options),
    }
}

/// Backpropagates the gradient of a layer's output through the recurrence.
///
/// Returns the gradient of the gates before activation, `[T, B, 8H]`, which is zero at padding, and a bound
/// on its magnitudes.
pub(super) fn backward<B: KernelBackend>(
    options: LayerOptions,
    input: BackwardInput<'_, B>,
) -> (Tensor<B, 3>, Bound<B>) {
    assert_fits(input.lengths, input.gates.dims(), &input.weight_hh);
    match options.recurrence {
        Recurrence::Reference => (reference::backward(input), Bound::Unknown),
        _ => B::recurrence_backward(input, options),
    }
}

/// Checks shapes before any kernel runs, because kernels do not.
fn assert_fits<B: Backend>(
    lengths: &Lengths<B>,
    [frames, batch, columns]: [usize; 3],
    weight_hh: &Tensor<B, 3>,
) {
    assert_eq!(
        [lengths.frames(), lengths.batch()],
        [frames, batch],
        "lengths do not match the batch"
    );
    assert_eq!(
        weight_hh.dims(),
        [2, columns / 2, columns / 8],
        "recurrent weights do not match the layer"
    );
}
