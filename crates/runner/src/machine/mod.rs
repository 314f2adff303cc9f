//! This machine: memory of the host, the NVIDIA GPU, what is recorded of both, and the cache of compiled kernels.

mod environment;
pub mod host;
pub mod kernel_cache;
pub mod nvml;

pub use environment::environment;
