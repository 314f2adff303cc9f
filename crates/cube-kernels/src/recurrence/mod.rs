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
mod setup;
mod tiling;
mod time;

use burn_cubecl::{CubeRuntime, kernel::into_contiguous, tensor::CubeTensor};
use burn_tensor::{DType, Shape, bf16};
use cubecl::prelude::ComputeClient;

use crate::buffers::into_own_buffer;

pub use forward::Activations;
use tiling::{Pass, Tiling};

/// The type in which the state and the recurrent weights are multiplied. Sums and cells are always `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GemmPrecision {
    /// f32 throughout.
    F32,
    /// Both operands rounded to bf16, which halves the memory traffic per step. Needs device support.
    Bf16,
}

/// Runs the forward pass of both directions of a layer.
///
/// Takes projections `[T, B, 8H]` without bias (overwritten if their buffer is not shared), bias `[8H]`,
/// weights `[2, 4H, H]` and lengths `[B]` as `i32`.
///
/// # Panics
///
/// If the shapes do not match.
#[must_use]
pub fn forward<R: CubeRuntime>(
    projections: CubeTensor<R>,
    bias: CubeTensor<R>,
    weight_hh: CubeTensor<R>,
    lengths: CubeTensor<R>,
    precision: GemmPrecision,
) -> Activations<R> {
    let (batch, hidden) = dimensions(&projections, &weight_hh, &lengths);
    let shared_memory = shared_memory(&projections.client);
    let tiling = Tiling::new(Pass::Forward, hidden, batch, shared_memory);
    assert_shape(&bias, [8 * hidden], DType::F32, "bias");
    let gates = into_own_buffer(projections);
    let bias = into_contiguous(bias);
    let weight_hh = into_contiguous(weight_hh);
    let lengths = into_contiguous(lengths);
    match precision {
        GemmPrecision::F32 => forward::run::<R, f32>(gates, &bias, &weight_hh, &lengths, tiling),
        GemmPrecision::Bf16 => forward::run::<R, bf16>(gates, &bias, &weight_hh, &lengths, tiling),
    }
}

/// Runs the backward pass of both directions of a layer. Returns the gradient of the gates before activation,
/// `[T, B, 8H]`, which is exactly zero at padding.
///
/// Takes the gradient of the output `[T, B, 2H]`, and the gates and cells of the forward pass. The gates are
/// overwritten if their buffer is not shared. Weights are `[2, 4H, H]` and lengths `[B]` as `i32`.
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
    lengths: CubeTensor<R>,
    precision: GemmPrecision,
) -> CubeTensor<R> {
    let (batch, hidden) = dimensions(&gates, &weight_hh, &lengths);
    let tiling = Tiling::new(Pass::Backward, hidden, batch, shared_memory(&gates.client));
    let frames = gates.meta.shape()[0];
    assert_shape(
        &grad_output,
        [frames, batch, 2 * hidden],
        DType::F32,
        "output gradient",
    );
    assert_shape(&cells, [frames, batch, 2 * hidden], DType::F32, "cells");
    let grad = into_contiguous(grad_output);
    let gates = into_own_buffer(gates);
    let cells = into_contiguous(cells);
    let weight_hh = into_contiguous(weight_hh);
    let lengths = into_contiguous(lengths);
    match precision {
        GemmPrecision::F32 => {
            backward::run::<R, f32>(&grad, gates, &cells, &weight_hh, &lengths, tiling)
        }
        GemmPrecision::Bf16 => {
            backward::run::<R, bf16>(&grad, gates, &cells, &weight_hh, &lengths, tiling)
        }
    }
}

/// Shared memory available to a cube, in bytes.
fn shared_memory<R: CubeRuntime>(client: &ComputeClient<R>) -> usize {
    client.properties().hardware.max_shared_memory_size
}

/// Returns the batch size and hidden size after checking all shapes, because kernels run without bounds
/// checks.
fn dimensions<R: CubeRuntime>(
    gates: &CubeTensor<R>,
    weight_hh: &CubeTensor<R>,
    lengths: &CubeTensor<R>,
) -> (usize, usize) {
    let [frames, batch, _] = gates.meta.shape().dims::<3>();
    let hidden = weight_hh.meta.shape()[2];
    assert!(
        frames > 0 && batch > 0 && hidden > 0,
        "a recurrence needs at least one frame, row and hidden unit"
    );
    assert_shape(gates, [frames, batch, 8 * hidden], DType::F32, "gates");
    assert_shape(
        weight_hh,
        [2, 4 * hidden, hidden],
        DType::F32,
        "recurrent weights",
    );
    assert_shape(lengths, [batch], DType::I32, "lengths");
    (batch, hidden)
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
