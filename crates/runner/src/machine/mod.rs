//! The machine: host memory, checks of memory demand, the NVIDIA GPU, the recorded environment, and the kernel cache.

pub mod demand;
mod environment;
pub mod host;
pub mod kernel_cache;
pub mod nvml;

pub use environment::environment;
