//! Backends: availability and selection.
//!
//! Each backend's generic code is instantiated only in its own file here.

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

/// A backend and its device on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The backend.
    pub backend: BackendChoice,
    /// The device's name, or the reason why there is none.
    pub device: Result<String, String>,
}

/// The device that a backend would use, or the reason why it cannot run.
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

/// Resolves `auto` to a backend, and checks that the chosen backend can run on this machine.
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

/// Checks settings before any worker process starts: the backend can run here, and the settings are valid for it.
///
/// The support of a precision by a GPU is known only once a trainer is created.
pub fn check(choice: BackendChoice, config: &TrainerConfig) -> Result<(), ModelError> {
    config.validate()?;
    match resolve(choice)? {
        #[cfg(feature = "cpu")]
        BackendChoice::Cpu => cpu::check(config),
        _ => Ok(()),
    }
}

/// Creates a trainer on the chosen backend.
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

/// GPU kernels launched by our code since the process started. On small models a launch costs the host more
/// time than the device, so the count helps to explain a measured speed.
pub fn launches() -> u64 {
    #[cfg(any(feature = "cuda", feature = "wgpu"))]
    return padwise_cube_kernels::launches::count();
    #[cfg(not(any(feature = "cuda", feature = "wgpu")))]
    0
}

/// All backends, each with the device that it would use or the reason why it cannot run.
pub fn all() -> Vec<Found> {
    [BackendChoice::Cuda, BackendChoice::Wgpu, BackendChoice::Cpu]
        .into_iter()
        .map(|backend| Found {
            backend,
            device: probe(backend).map_err(|error| error.to_string()),
        })
        .collect()
}
