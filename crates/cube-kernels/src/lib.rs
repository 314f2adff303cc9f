//! The kernels of padwise's acoustic model in CubeCL: one source for CUDA, Vulkan, Metal and WebGPU.
//!
//! Each module has the kernels of one part of a training step and the functions that launch them over burn's GPU tensors
//! (`CubeTensor`). They know shapes and buffers, not the model. Their results are checked where they are used, in `padwise-model`,
//! against PyTorch and against the CPU.

#![cfg(feature = "gpu")]

pub mod buffers;
pub mod cross_entropy;
pub mod ctc;
pub mod dropout;
pub mod launches;
pub mod optimiser;
pub mod recurrence;
pub mod reduce;
