//! The CUDA kernels of padwise's acoustic model, as source, and what decides how they are launched.
//!
//! Nothing here touches a GPU or knows a tensor: each module turns the shape of a task and the properties of a device into a
//! [`Kernel`] (source, definitions, threads, shared memory) and the numbers that it takes, or into a sentence that says why
//! it cannot. That is what lets a machine without a GPU compile every variant and look for spilled registers
//! (`scripts/compile_cuda.py`). Whoever has a device, the model's CUDA backend, compiles and launches them.
//!
//! - [`recurrence`]: one bidirectional LSTM layer as one launch, weights kept on chip, compute capability 8.0 and newer;
//! - [`gemm`]: matrix multiplications (GEMMs) on the tensor cores of compute capability 9.0, with their operands narrowed to 16 bits;
//! - [`sums`]: sums of columns and of slices;
//! - [`upload`]: numbers from the host, without waiting for the device.

pub mod gemm;
mod kernel;
pub mod recurrence;
pub mod sums;
pub mod upload;

pub use kernel::{Kernel, pack_numbers};

/// What a device has, as far as plans depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// Multiprocessors.
    pub multiprocessors: usize,
    /// Shared memory that a block may take, in bytes.
    pub shared_bytes: usize,
}

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
