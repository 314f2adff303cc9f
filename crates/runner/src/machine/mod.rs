//! The machine: host memory, the NVIDIA GPU, the recorded environment, and the kernel cache.

mod environment;
pub mod host;
pub mod kernel_cache;
pub mod nvml;

pub use environment::environment;
