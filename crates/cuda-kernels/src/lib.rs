//! CUDA source for training a bidirectional LSTM, with launch plans for each device.
//!
//! Given the shape of a task and the properties of a device, each module returns a [`Kernel`] (source,
//! definitions, grid, threads, shared memory) and its arguments. If the task does not fit, it returns the
//! reason. The crate needs no GPU and knows no tensors. Any machine can therefore compile every variant and
//! check it for register spills (`scripts/compile_cuda.py`). The CUDA backend of `padwise-model` compiles and
//! launches the kernels.
//!
//! - [`recurrence`]: one bidirectional LSTM layer in one kernel launch, or two if it is large, with the weights
//!   kept on chip. Compute capability 8.0 and newer.
//! - [`gemm`]: matrix multiplications (GEMMs) on the tensor cores of compute capability 9.0, with 16-bit
//!   operands.
//! - [`cross_entropy`]: losses and gradient of scores, in one pass.
//! - [`sums`]: sums of columns and of slices, in a fixed order.
//! - [`upload`]: data from the host, without waiting for the device.

pub mod cross_entropy;
mod device;
pub mod gemm;
mod kernel;
pub mod recurrence;
pub mod sums;
pub mod upload;

pub use device::Device;
pub use kernel::{Kernel, pack_numbers};

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
