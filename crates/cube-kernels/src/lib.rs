//! GPU kernels for training a bidirectional LSTM in CubeCL: one source for CUDA, Vulkan, Metal and WebGPU.
//!
//! Each module has the kernels of one part of a training step and the functions that launch them on burn's
//! GPU tensors (`CubeTensor`). They know shapes and buffers, not the model. `padwise-model` tests them
//! against PyTorch and against the CPU.

#![cfg(feature = "gpu")]

pub mod buffers;
pub mod cross_entropy;
pub mod ctc;
pub mod dropout;
pub mod launches;
pub mod narrow;
pub mod optimiser;
pub mod recurrence;
pub mod reduce;
