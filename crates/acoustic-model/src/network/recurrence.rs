//! Selects the recurrence: the reference, or the backend's own. [`crate::kernels::recurrence`] has the
//! specification.

use burn_tensor::Tensor;
use burn_tensor::backend::Backend;
use padwise_model_config::Recurrence;

use super::reference;
use crate::batch::BatchLayout;
use crate::kernels::KernelBackend;
use crate::kernels::gemm::{Bound, RowGradients};
use crate::kernels::recurrence::{BackwardInput, ForwardInput, GateOrder, LayerOptions, Unrolled};

/// Runs the recurrence of a layer over a batch.
pub(super) fn forward<B: KernelBackend>(
    options: LayerOptions,
    input: ForwardInput<'_, B>,
) -> Unrolled<B> {
    assert_fits(input.layout, input.projections.dims(), &input.weight_hh);
    match options.recurrence {
        Recurrence::Reference => {
            assert_by_gate(options);
            reference::forward(input)
        }
        _ => B::recurrence_forward(input, options),
    }
}

/// Backpropagates the gradient of a layer's output through the recurrence.
pub(super) fn backward<B: KernelBackend>(
    options: LayerOptions,
    input: BackwardInput<'_, B>,
) -> RowGradients<B> {
    assert_fits(input.layout, input.gates.dims(), &input.weight_hh);
    match options.recurrence {
        Recurrence::Reference => {
            assert_by_gate(options);
            RowGradients::new(reference::backward(input), Bound::Unknown)
        }
        _ => B::recurrence_backward(input, options),
    }
}

/// The reference knows one order of gates.
fn assert_by_gate(options: LayerOptions) {
    assert_eq!(options.gates, GateOrder::ByGate, "order of gates");
}

/// Checks shapes before any kernel runs, because kernels do not.
fn assert_fits<B: Backend>(
    layout: &BatchLayout<B>,
    [rows, columns]: [usize; 2],
    weight_hh: &Tensor<B, 3>,
) {
    assert_eq!(
        layout.host().rows(),
        rows,
        "layout does not match the batch"
    );
    assert_eq!(
        weight_hh.dims(),
        [2, columns / 2, columns / 8],
        "recurrent weights do not match the layer"
    );
}
