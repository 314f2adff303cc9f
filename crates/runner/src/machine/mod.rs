//! The machine: host memory, the NVIDIA GPU, the recorded environment, and caches.

mod cache_folder;
mod environment;
pub mod host;
pub mod kernel_cache;
pub mod nvml;

pub use cache_folder::cache_folder;
pub use environment::environment;
