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
use padwise_cube_kernels::recurrence::Activations;
use padwise_cuda_kernels::Device;
use padwise_cuda_kernels::recurrence::{Batches, Format, Pass, Plan};
use padwise_model_config::Precision;

use super::device::{CudaTensor, compute_capability};
use super::raw::launch;
use super::zeros::zeroed;

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

/// Runs the forward pass over all frames. `batch` contains the numbers of the layout, as `i32`.
pub(super) fn forward(
    plans: &Plans,
    projections: CudaTensor,
    bias: CudaTensor,
    weight_hh: CudaTensor,
    batch: CudaTensor,
) -> Activations<CudaRuntime> {
    let [rows, columns] = projections.meta.shape().dims::<2>();
    let gates = into_own_buffer(projections);
    let output = empty_like(&gates, [rows, columns / 4], DType::F32);
    let cells = empty_like(&gates, [rows, columns / 4], DType::F32);
    let plan = &plans.forward;
    let exchange = zeroed(&gates, plan.exchange_words);
    let [bias, weight_hh, batch] = [bias, weight_hh, batch].map(into_contiguous);
    let buffers = [
        &gates, &bias, &weight_hh, &batch, &output, &cells, &exchange,
    ];
    for kernel in plan.kernels() {
        launch(kernel, &buffers, Vec::new());
    }
    Activations {
        output,
        gates,
        cells,
    }
}

/// Results of the backward pass.
pub(super) struct GateGradients {
    /// The gradients, `[rows, 8H]`.
    pub gradients: CudaTensor,
    /// Sums over parts of the rows, `[slices, 8H]`.
    pub partial_sums: CudaTensor,
    /// Their largest magnitude.
    pub largest: CudaTensor,
}

/// Runs the backward pass over all frames. The gate gradients overwrite the gates.
pub(super) fn backward(
    plans: &Plans,
    grad_output: CudaTensor,
    gates: CudaTensor,
    cells: CudaTensor,
    weight_hh: CudaTensor,
    batch: CudaTensor,
) -> GateGradients {
    let [_, columns] = gates.meta.shape().dims::<2>();
    let gates = into_own_buffer(gates);
    let plan = &plans.backward;
    let partial_sums = empty_like(&gates, [plan.slices(), columns], DType::F32);
    let exchange = zeroed(&gates, plan.exchange_words);
    let peak = zeroed(&gates, 1);
    let [cells, grad_output, weight_hh, batch] =
        [cells, grad_output, weight_hh, batch].map(into_contiguous);
    let buffers = [
        &gates,
        &cells,
        &grad_output,
        &weight_hh,
        &batch,
        &exchange,
        &peak,
        &partial_sums,
    ];
    for kernel in plan.kernels() {
        launch(kernel, &buffers, Vec::new());
    }
    GateGradients {
        gradients: gates,
        partial_sums,
        largest: peak,
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
            let buffers = [&gates, &bias, &weights, &layout, &output, &cells, &exchange];
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                launch(kernel, &buffers, Vec::new());
                Cuda::sync(&device).map_err(|_| ())
            }))
        };
        let mut kernel = plan.kernels().next().expect("a kernel");
        assert!(matches!(run(kernel.clone()), Ok(Ok(()))), "all blocks");
        kernel.grid.0 -= 1;
        let begin = Instant::now();
        let ended = run(kernel);
        let seconds = begin.elapsed().as_secs();
        assert!(!matches!(ended, Ok(Ok(()))), "ran with a block missing");
        assert!(seconds < 60, "{seconds} s");
    }
}
