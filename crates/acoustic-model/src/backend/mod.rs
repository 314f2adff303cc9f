//! Backends: what is compiled in, what this machine has, and which to take.
//!
//! Each backend's generic code is instantiated in its own file here and nowhere else.

use padwise_model_config::{BackendChoice, TrainerConfig};
use serde::Serialize;

use crate::error::ModelError;
use crate::training::Trainer;

#[cfg(feature = "cpu")]
pub mod cpu;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
mod cube;
#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(any(feature = "cpu", feature = "wgpu"))]
mod fused_only;
#[cfg(feature = "wgpu")]
pub mod wgpu;

#[cfg(feature = "cuda")]
pub use cuda::keep_compiled_kernels;

/// A backend that can be asked for by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The backend.
    pub backend: BackendChoice,
    /// The device's name, or why there is none.
    pub device: Result<String, String>,
}

/// The device that a backend would use, or why it cannot.
fn probe(choice: BackendChoice) -> Result<String, ModelError> {
    match choice {
        #[cfg(feature = "cpu")]
        BackendChoice::Cpu => Ok(cpu::device_name()),
        #[cfg(feature = "wgpu")]
        BackendChoice::Wgpu => wgpu::probe().map(|adapter| adapter.name),
        #[cfg(feature = "cuda")]
        BackendChoice::Cuda => cuda::probe(),
        BackendChoice::Auto => resolve(choice).and_then(probe),
        #[allow(unreachable_patterns)]
        backend => Err(ModelError::NotCompiledIn { backend }),
    }
}

/// The backend that a choice means on this machine.
pub fn resolve(choice: BackendChoice) -> Result<BackendChoice, ModelError> {
    if choice != BackendChoice::Auto {
        return probe(choice).map(|_| choice);
    }
    #[cfg(feature = "cuda")]
    if cuda::probe().is_ok() {
        return Ok(BackendChoice::Cuda);
    }
    #[cfg(feature = "wgpu")]
    if wgpu::probe().is_ok_and(|adapter| adapter.is_gpu) {
        return Ok(BackendChoice::Wgpu);
    }
    probe(BackendChoice::Cpu).map(|_| BackendChoice::Cpu)
}

/// A trainer on the backend that a choice means.
pub fn trainer(
    choice: BackendChoice,
    config: TrainerConfig,
) -> Result<Box<dyn Trainer>, ModelError> {
    config.validate()?;
    match resolve(choice)? {
        #[cfg(feature = "cpu")]
        BackendChoice::Cpu => cpu::trainer(config),
        #[cfg(feature = "wgpu")]
        BackendChoice::Wgpu => wgpu::trainer(config),
        #[cfg(feature = "cuda")]
        BackendChoice::Cuda => cuda::trainer(config),
        #[allow(unreachable_patterns)]
        backend => Err(ModelError::NotCompiledIn { backend }),
    }
}

/// GPU kernels that our own code has launched since the process began. On small models a launch costs the host more than the device,
/// so a speed without its launch count explains nothing.
pub fn launches() -> u64 {
    #[cfg(any(feature = "cuda", feature = "wgpu"))]
    return padwise_cube_kernels::launches::count();
    #[cfg(not(any(feature = "cuda", feature = "wgpu")))]
    0
}

/// Every backend, with the device that it would use on this machine or the reason why it has none.
pub fn all() -> Vec<Found> {
    [BackendChoice::Cuda, BackendChoice::Wgpu, BackendChoice::Cpu]
        .into_iter()
        .map(|backend| Found {
            backend,
            device: probe(backend).map_err(|error| error.to_string()),
        })
        .collect()
}
