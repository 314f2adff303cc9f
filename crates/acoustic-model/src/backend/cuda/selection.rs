//! Which recurrence computes a batch, and in which order the gates are stored.

use burn_tensor::Tensor;
use cubecl::Runtime;
use cubecl::client::ComputeClient;
use cubecl::cuda::CudaRuntime;
use padwise_cuda_kernels::recurrence::Batches;
use padwise_model_config::Recurrence;

use super::device::Cuda;
use super::recurrence::{self, Plans};
use super::{factor, gemm};
use crate::batch::BatchLayout;
use crate::kernels::recurrence::{GateOrder, LayerOptions};

/// The plans of the persistent recurrence for this batch, or `None` if it is disabled or does not fit.
fn persistent(
    client: &ComputeClient<CudaRuntime>,
    hidden: usize,
    layout: &BatchLayout<Cuda>,
    options: LayerOptions,
) -> Option<Plans> {
    if matches!(
        options.recurrence,
        Recurrence::Fused | Recurrence::Reference
    ) {
        return None;
    }
    let batches = Batches {
        utterances: layout.host().batch(),
        packed: layout.host().is_packed(),
    };
    recurrence::plans(client, hidden, batches, options.precision)
        .inspect_err(|reason| {
            tracing::debug!(
                hidden,
                ?batches,
                reason,
                "using the fused recurrence instead of the persistent one"
            );
        })
        .ok()
}

/// The same for the layer of these gates, `[N, 8H]`. Other recurrences need them by gate.
pub(super) fn persistent_layer(
    gates: &Tensor<Cuda, 2>,
    layout: &BatchLayout<Cuda>,
    options: LayerOptions,
) -> Option<Plans> {
    let [_, columns] = gates.dims();
    let client = gates.clone().into_primitive().tensor().client.clone();
    let plans = persistent(&client, columns / 8, layout, options);
    assert!(
        plans.is_some() || options.gates == GateOrder::ByGate,
        "only the persistent recurrence has interleaved gates"
    );
    plans
}

/// The order of gates for layers of this size: interleaved if the persistent recurrence runs and our GEMMs take its operands.
pub(super) fn gate_order(
    hidden: usize,
    layout: &BatchLayout<Cuda>,
    options: LayerOptions,
) -> GateOrder {
    let has_factors = gemm::available() && factor::element(options.precision).is_some();
    let client = CudaRuntime::client(&layout.numbers().device());
    if has_factors && persistent(&client, hidden, layout, options).is_some() {
        GateOrder::Interleaved
    } else {
        GateOrder::ByGate
    }
}
