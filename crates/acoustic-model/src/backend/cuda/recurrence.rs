//! The persistent recurrence on CUDA: one kernel launch per layer and pass, with the weights on chip for the
//! whole sequence. If the weights of both directions do not fit at once, each direction has its own launch.
//!
//! After Diamos et al., "Persistent RNNs: Stashing Recurrent Weights On-Chip" (2016). The GEMM of one LSTM
//! time step is too small to fill a GPU, so most time is spent on launches and on reading the weights again.
//! Here every multiprocessor keeps its share of the weights in registers and shared memory. Only hidden
//! states (backward: gate gradients and parts of sums) are exchanged, through the L2 cache. On Hopper, pairs of
//! multiprocessors exchange parts of sums through shared memory. There is no barrier: each exchanged
//! word carries its step number in unused bits, and readers poll the data itself (`kernels/exchange.cuh`).
//!
//! All blocks must be resident at once. [`Plan`] decides whether a layer fits, or gives the reason why it
//! does not.

use burn_cubecl::kernel::into_contiguous;
use burn_tensor::DType;
use cubecl::client::ComputeClient;
use cubecl::cuda::CudaRuntime;
use padwise_cube_kernels::buffers::{empty_like, into_own_buffer};
use padwise_cuda_kernels::Device;
use padwise_cuda_kernels::gemm::Element;
use padwise_cuda_kernels::recurrence::{Batches, Format, Gates, Pass, Plan, Results, Storage};
use padwise_model_config::Precision;

use super::device::{CudaTensor, compute_capability};
use super::factor::{NarrowFactor, largest_magnitude};
use super::raw::launch;
use super::zeros::zeroed;
use crate::kernels::recurrence::GateOrder;

/// The plans of both passes for a layer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plans {
    forward: Plan,
    backward: Plan,
}

/// The device's properties, or the reason why these kernels cannot run on it.
fn properties(client: &ComputeClient<CudaRuntime>) -> Result<Device, String> {
    // The kernels need the tensor cores of compute capability 8.0 or newer. Those are the devices that
    // support bf16.
    let properties = client.properties();
    if properties.features.matmul.mma.is_empty() {
        return Err("the device has no tensor cores of compute capability 8.0 or newer".to_owned());
    }
    let hardware = &properties.hardware;
    Ok(Device {
        multiprocessors: hardware
            .num_streaming_multiprocessors
            .ok_or("the driver does not report the number of multiprocessors")?
            as usize,
        shared_bytes: hardware.max_shared_memory_size,
        capability: compute_capability()
            .ok_or("the driver does not report the compute capability")?,
    })
}

/// The plans for a layer and batches of this shape, or the reason why they do not fit.
pub(super) fn plans(
    client: &ComputeClient<CudaRuntime>,
    hidden: usize,
    batches: Batches,
    precision: Precision,
) -> Result<Plans, String> {
    let device = properties(client)?;
    // f16 has TF32's mantissa in half the space. Hidden states and weights fit into its range; the backward pass scales gradients.
    let (forward, backward) = match precision {
        Precision::F32 => (Format::F16, Format::F16),
        Precision::Bf16 => (Format::Bf16, Format::Bf16),
        Precision::StrictF32 => (Format::F32, Format::F32),
    };
    Ok(Plans {
        forward: Plan::new(Pass::Forward, forward, hidden, batches, device)?,
        backward: Plan::new(Pass::Backward, backward, hidden, batches, device)?,
    })
}

/// What a pass computes for the GEMMs that follow.
#[allow(clippy::large_enum_variant, reason = "only a few exist at a time")]
pub(super) enum Written {
    /// A matrix of f32.
    Matrix(CudaTensor),
    /// An operand of GEMMs.
    Factor(NarrowFactor),
}

impl Written {
    /// The buffers that a kernel writes: the values, and the inverse of the scale if there is one.
    fn buffers(&self) -> (&CudaTensor, Option<&CudaTensor>) {
        match self {
            Self::Matrix(matrix) => (matrix, None),
            Self::Factor(factor) => {
                let [values, inverse] = factor.buffers();
                (values, Some(inverse))
            }
        }
    }
}

/// The operand's type for results of a plan.
fn element(plan: &Plan) -> Element {
    match plan.format() {
        Format::Bf16 => Element::Bf16,
        Format::F16 | Format::F32 => Element::F16,
    }
}

/// Inputs of the forward pass. `batch` contains the numbers of the layout, as `i32`.
pub(super) struct ForwardInput {
    pub projections: CudaTensor,
    pub biases: [CudaTensor; 2],
    pub weight_hh: CudaTensor,
    pub batch: CudaTensor,
}

/// Results of the forward pass.
pub(super) struct Activations {
    /// The hidden states, `[rows, 2H]`.
    pub output: Written,
    /// The activated gates, `[rows, 8H]`.
    pub gates: CudaTensor,
    /// The cell states, `[rows, 2H]`.
    pub cells: CudaTensor,
}

/// How gates in this order are stored in a tensor of this type.
fn storage(results: Results, order: GateOrder, gates: &CudaTensor) -> Storage {
    let gates = match (order, gates.dtype) {
        (GateOrder::ByGate, _) => Gates::ByGate,
        (GateOrder::Interleaved, DType::F16) => Gates::InterleavedF16,
        (GateOrder::Interleaved, _) => Gates::Interleaved,
    };
    Storage { results, gates }
}

/// Runs the forward pass over all frames. Interleaved gates may be f16.
pub(super) fn forward(
    plans: &Plans,
    order: GateOrder,
    results: Results,
    input: ForwardInput,
) -> Activations {
    let [rows, columns] = input.projections.meta.shape().dims::<2>();
    let gates = into_own_buffer(input.projections);
    let storage = storage(results, order, &gates);
    let plan = &plans.forward;
    let shape = [rows, columns / 4];
    let output = match results {
        Results::Matrix => Written::Matrix(empty_like(&gates, shape, DType::F32)),
        Results::Factor => Written::Factor(NarrowFactor::room(&gates, shape, element(plan))),
    };
    let cells = empty_like(&gates, shape, DType::F32);
    let exchange = zeroed(&gates, plan.exchange_words);
    let [bias_ih, bias_hh] = input.biases.map(into_contiguous);
    let [weight_hh, batch] = [input.weight_hh, input.batch].map(into_contiguous);
    let (values, inverse) = output.buffers();
    let buffers = [
        &gates,
        &bias_ih,
        &bias_hh,
        &weight_hh,
        &batch,
        values,
        &cells,
        &exchange,
        // Not written without a factor.
        inverse.unwrap_or(&exchange),
    ];
    for kernel in plan.kernels(storage) {
        launch(kernel, &buffers, Vec::new());
    }
    Activations {
        output,
        gates,
        cells,
    }
}

/// Inputs of the backward pass.
pub(super) struct BackwardInput {
    pub grad_output: CudaTensor,
    /// About the largest magnitude of `grad_output`, if it is known.
    pub magnitude: Option<CudaTensor>,
    pub gates: CudaTensor,
    pub cells: CudaTensor,
    pub weight_hh: CudaTensor,
    pub batch: CudaTensor,
}

/// Results of the backward pass.
pub(super) struct GateGradients {
    /// The gradients, `[rows, 8H]`.
    pub gradients: Written,
    /// Sums over parts of the rows, `[slices, 8H]`.
    pub partial_sums: CudaTensor,
    /// Their largest magnitude.
    pub largest: CudaTensor,
    /// The gates that they were computed from.
    pub gates: CudaTensor,
}

/// Runs the backward pass over all frames. As a matrix, the gate gradients overwrite the gates if these are f32.
pub(super) fn backward(
    plans: &Plans,
    order: GateOrder,
    results: Results,
    input: BackwardInput,
) -> GateGradients {
    let shape = input.gates.meta.shape().dims::<2>();
    let storage = storage(results, order, &input.gates);
    let plan = &plans.backward;
    let [cells, grad_output, weight_hh, batch] =
        [input.cells, input.grad_output, input.weight_hh, input.batch].map(into_contiguous);
    let (gates, gradients) = match results {
        Results::Matrix if input.gates.dtype == DType::F32 => {
            let gates = into_own_buffer(input.gates);
            (gates.clone(), Written::Matrix(gates))
        }
        Results::Matrix => {
            let gates = into_contiguous(input.gates);
            let matrix = empty_like(&gates, shape, DType::F32);
            (gates, Written::Matrix(matrix))
        }
        Results::Factor => {
            let gates = into_contiguous(input.gates);
            let factor = NarrowFactor {
                interleaved: (order == GateOrder::Interleaved).then_some(shape[1] / 8),
                ..NarrowFactor::room(&gates, shape, element(plan))
            };
            (gates, Written::Factor(factor))
        }
    };
    let partial_sums = empty_like(&gates, [plan.slices(), shape[1]], DType::F32);
    let peak = zeroed(&gates, 1);
    let magnitude = match (results, input.magnitude) {
        (_, Some(magnitude)) => magnitude,
        (Results::Factor, None) if plan.format() == Format::F16 => largest_magnitude(&grad_output),
        // Not read without a scale.
        _ => peak.clone(),
    };
    for attempt in plan.attempts(results) {
        let exchange = zeroed(&gates, plan.exchange_words);
        let (values, inverse) = gradients.buffers();
        let buffers = [
            &gates,
            &cells,
            &grad_output,
            &weight_hh,
            &batch,
            values,
            &exchange,
            &peak,
            &partial_sums,
            &magnitude,
            inverse.unwrap_or(&peak),
        ];
        for kernel in plan.kernels(storage) {
            launch(kernel, &buffers, attempt.clone());
        }
    }
    GateGradients {
        gradients,
        partial_sums,
        largest: peak,
        gates,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use burn_tensor::{Tensor, backend::Backend};

    use super::*;
    use crate::backend::cuda::device::Cuda;
    use crate::batch::{BatchLayout, RowLayout};

    /// If a block is not resident, all others wait for it forever. Plans prevent this. If it happens
    /// nevertheless, the launch must fail instead of hanging.
    #[test]
    #[ignore = "needs a GPU and leaves it unusable for this process; scripts/check_cuda.sh runs it"]
    fn a_launch_with_a_block_missing_ends() {
        let device = Default::default();
        let (frames, batch, hidden) = (50, 16, 1024);
        let zeros = |shape: [usize; 3]| -> CudaTensor {
            let zeros = Tensor::<Cuda, 3>::zeros(shape, &device);
            zeros.into_primitive().tensor()
        };
        let gates = zeros([frames, batch, 8 * hidden]);
        let own = properties(&gates.client).expect("device properties");
        let batches = Batches {
            utterances: batch,
            packed: false,
        };
        let plan = Plan::new(Pass::Forward, Format::F16, hidden, batches, own).expect("a plan");
        let layout = RowLayout::padded(&[frames as u32; 16], frames);
        let layout = BatchLayout::<Cuda>::new(layout, &device).expect("a layout");
        let bias = Tensor::<Cuda, 1>::zeros([8 * hidden], &device);
        let [output, cells] = [(); 2].map(|()| zeros([frames, batch, 2 * hidden]));
        let run = |kernel| {
            let exchange = zeroed(&gates, plan.exchange_words);
            let layout = layout.numbers().into_primitive();
            let weights = zeros([2, 4 * hidden, hidden]);
            let bias = bias.clone().into_primitive().tensor();
            let buffers = [
                &gates, &bias, &bias, &weights, &layout, &output, &cells, &exchange, &exchange,
            ];
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                launch(kernel, &buffers, Vec::new());
                Cuda::sync(&device).map_err(|_| ())
            }))
        };
        let storage = storage(Results::Matrix, GateOrder::ByGate, &gates);
        let mut kernel = plan.kernels(storage).next().expect("a kernel");
        assert!(matches!(run(kernel.clone()), Ok(Ok(()))), "all blocks");
        kernel.grid.0 -= 1;
        let begin = Instant::now();
        let ended = run(kernel);
        let seconds = begin.elapsed().as_secs();
        assert!(!matches!(ended, Ok(Ok(()))), "ran with a block missing");
        assert!(seconds < 60, "{seconds} s");
    }
}
