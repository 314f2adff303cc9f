//! The machine: host memory, the allocator, CPU time, energy, checks of memory demand, the NVIDIA GPU, the recorded environment, and caches.

mod cache_folder;
pub mod demand;
mod environment;
pub mod freed_memory;
pub mod host;
pub mod kernel_cache;
pub mod nvml;
mod usage;

pub use cache_folder::cache_folder;
pub use environment::environment;
pub use usage::Usage;
