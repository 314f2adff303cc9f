//! The LSTM recurrence for any CubeCL device: one source for CUDA, Vulkan and WebGPU.
//!
//! One kernel launch per time step covers both directions: the multiplication by the recurrent weights, the
//! gates and the cell update. A composition of tensor operations takes a dozen launches. The gates overwrite
//! the input projections, and their gradients overwrite the gates.
//!
//! Padding is never read: projections and output gradients beyond an utterance's length may have any value.

mod backward;
mod forward;
mod product;
#[cfg(feature = "wgpu")]
mod recorder;
mod setup;
mod steps;
mod tiling;
mod time;

use burn_cubecl::{CubeRuntime, kernel::into_contiguous, tensor::CubeTensor};
use burn_tensor::{DType, Shape, bf16};
use cubecl::prelude::ComputeClient;
use padwise_cpu_kernels::RowLayout;

use crate::buffers::into_own_buffer;

pub use forward::Activations;
#[cfg(feature = "wgpu")]
pub use recorder::Recorder;
pub use steps::{LaunchEach, StepLauncher, Steps};
use tiling::{Pass, Tiling};

/// The type in which the state and the recurrent weights are multiplied. Sums and cells are always `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GemmPrecision {
    /// f32 throughout.
    F32,
    /// Both operands rounded to bf16, which halves the memory traffic per step. Needs device support.
    Bf16,
}

/// The rows of a batch, on the host and on the device.
#[derive(Clone, Debug)]
pub struct DeviceRows<'a, R: CubeRuntime> {
    /// The layout.
    pub rows: &'a RowLayout,
    /// Its numbers ([`RowLayout::numbers`]) as `i32`.
    pub numbers: CubeTensor<R>,
}

/// Runs the forward pass of both directions of a layer.
///
/// Takes projections `[N, 8H]` without bias (overwritten if their buffer is not shared), bias `[8H]` and weights
/// `[2, 4H, H]`. The rows of a packed batch that are no frame must be zero.
///
/// # Panics
///
/// If the shapes do not match.
#[must_use]
pub fn forward<R: CubeRuntime>(
    projections: CubeTensor<R>,
    bias: CubeTensor<R>,
    weight_hh: CubeTensor<R>,
    layout: DeviceRows<'_, R>,
    precision: GemmPrecision,
    launcher: &impl StepLauncher<R>,
) -> Activations<R> {
    let hidden = hidden_units(&projections, &weight_hh, &layout);
    let batch = layout.rows.batch();
    let shared_memory = shared_memory(&projections.client);
    let tiling = Tiling::new(Pass::Forward, hidden, batch, shared_memory);
    assert_shape(&bias, [8 * hidden], DType::F32, "bias");
    let gates = into_own_buffer(projections);
    let bias = into_contiguous(bias);
    let weight_hh = into_contiguous(weight_hh);
    let layout = layout.into_contiguous();
    match precision {
        GemmPrecision::F32 => {
            forward::run::<R, f32>(gates, &bias, &weight_hh, &layout, tiling, launcher)
        }
        GemmPrecision::Bf16 => {
            forward::run::<R, bf16>(gates, &bias, &weight_hh, &layout, tiling, launcher)
        }
    }
}

/// Runs the backward pass of both directions of a layer. Returns the gradient of the gates before activation,
/// `[N, 8H]`, which is exactly zero at padding.
///
/// Takes the gradient of the output `[N, 2H]`, and the gates and cells of the forward pass. The gates are overwritten if
/// their buffer is not shared. Weights are `[2, 4H, H]`.
///
/// # Panics
///
/// If the shapes do not match.
#[must_use]
pub fn backward<R: CubeRuntime>(
    grad_output: CubeTensor<R>,
    gates: CubeTensor<R>,
    cells: CubeTensor<R>,
    weight_hh: CubeTensor<R>,
    layout: DeviceRows<'_, R>,
    precision: GemmPrecision,
    launcher: &impl StepLauncher<R>,
) -> CubeTensor<R> {
    let hidden = hidden_units(&gates, &weight_hh, &layout);
    let batch = layout.rows.batch();
    let tiling = Tiling::new(Pass::Backward, hidden, batch, shared_memory(&gates.client));
    let states = [layout.rows.rows(), 2 * hidden];
    assert_shape(&grad_output, states, DType::F32, "output gradient");
    assert_shape(&cells, states, DType::F32, "cells");
    let grad = into_contiguous(grad_output);
    let gates = into_own_buffer(gates);
    let cells = into_contiguous(cells);
    let weight_hh = into_contiguous(weight_hh);
    let layout = layout.into_contiguous();
    match precision {
        GemmPrecision::F32 => {
            backward::run::<R, f32>(&grad, gates, &cells, &weight_hh, &layout, tiling, launcher)
        }
        GemmPrecision::Bf16 => {
            backward::run::<R, bf16>(&grad, gates, &cells, &weight_hh, &layout, tiling, launcher)
        }
    }
}

/// Shared memory available to a cube, in bytes.
fn shared_memory<R: CubeRuntime>(client: &ComputeClient<R>) -> usize {
    client.properties().hardware.max_shared_memory_size
}

/// Returns the hidden size after checking all shapes, because kernels run without bounds checks.
fn hidden_units<R: CubeRuntime>(
    gates: &CubeTensor<R>,
    weight_hh: &CubeTensor<R>,
    layout: &DeviceRows<'_, R>,
) -> usize {
    let hidden = weight_hh.meta.shape()[2];
    let (rows, batch) = (layout.rows.rows(), layout.rows.batch());
    assert!(
        layout.rows.frames() > 0 && batch > 0 && hidden > 0,
        "a recurrence needs at least one frame, utterance and hidden unit"
    );
    assert_shape(gates, [rows, 8 * hidden], DType::F32, "gates");
    assert_shape(
        weight_hh,
        [2, 4 * hidden, hidden],
        DType::F32,
        "recurrent weights",
    );
    assert_shape(&layout.numbers, [3 + 3 * batch], DType::I32, "layout");
    hidden
}

impl<R: CubeRuntime> DeviceRows<'_, R> {
    fn into_contiguous(self) -> Self {
        Self {
            numbers: into_contiguous(self.numbers),
            ..self
        }
    }
}

fn assert_shape<R: CubeRuntime>(
    tensor: &CubeTensor<R>,
    shape: impl Into<Shape>,
    dtype: DType,
    what: &str,
) {
    assert_eq!(tensor.meta.shape(), &shape.into(), "shape of {what}");
    assert_eq!(tensor.dtype, dtype, "element type of {what}");
}
