//! Backends: what is compiled in, what this machine has, and which to take.
//!
//! Each backend's generic code is instantiated in its own file here and nowhere else.

use serde::{Deserialize, Serialize};

use crate::ModelError;
use crate::trainer::{Trainer, TrainerConfig};

#[cfg(feature = "cuda")]
mod compiled;
#[cfg(feature = "cpu")]
pub mod cpu;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
mod cube;
#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(feature = "wgpu")]
pub mod wgpu;

#[cfg(feature = "cuda")]
pub use compiled::keep_compiled_kernels;

/// Which backend to train on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BackendChoice {
    /// The best that is compiled in and present: CUDA, then a GPU through wgpu, then the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// Any GPU through wgpu: Vulkan, Metal, or WebGPU.
    Wgpu,
    /// An NVIDIA GPU through CUDA.
    Cuda,
}

/// A backend that can be asked for by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The backend.
    pub backend: BackendChoice,
    /// The device's name, or why there is none.
    pub device: Result<String, String>,
}

impl BackendChoice {
    /// The name by which it is chosen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Wgpu => "wgpu",
            Self::Cuda => "cuda",
        }
    }

    /// The device this backend would use, or why it cannot.
    fn probe(self) -> Result<String, ModelError> {
        match self {
            #[cfg(feature = "cpu")]
            Self::Cpu => Ok(cpu::device_name()),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => wgpu::probe().map(|adapter| adapter.name),
            #[cfg(feature = "cuda")]
            Self::Cuda => cuda::probe(),
            Self::Auto => self.resolve().and_then(Self::probe),
            #[allow(unreachable_patterns)]
            missing => Err(ModelError::NotCompiledIn {
                backend: missing.name(),
                feature: missing.name(),
            }),
        }
    }

    /// The backend that this choice means on this machine.
    pub fn resolve(self) -> Result<Self, ModelError> {
        if self != Self::Auto {
            return self.probe().map(|_| self);
        }
        #[cfg(feature = "cuda")]
        if cuda::probe().is_ok() {
            return Ok(Self::Cuda);
        }
        #[cfg(feature = "wgpu")]
        if wgpu::probe().is_ok_and(|adapter| adapter.is_gpu) {
            return Ok(Self::Wgpu);
        }
        Self::Cpu.probe().map(|_| Self::Cpu)
    }

    /// A trainer on this backend.
    pub fn trainer(self, config: TrainerConfig) -> Result<Box<dyn Trainer>, ModelError> {
        config.validate()?;
        match self.resolve()? {
            #[cfg(feature = "cpu")]
            Self::Cpu => cpu::trainer(config),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => wgpu::trainer(config),
            #[cfg(feature = "cuda")]
            Self::Cuda => cuda::trainer(config),
            #[allow(unreachable_patterns)]
            missing => Err(ModelError::NotCompiledIn {
                backend: missing.name(),
                feature: missing.name(),
            }),
        }
    }

    /// Every backend, with the device it would use on this machine or the reason why it has none.
    pub fn all() -> Vec<Found> {
        [Self::Cuda, Self::Wgpu, Self::Cpu]
            .into_iter()
            .map(|backend| Found {
                backend,
                device: backend.probe().map_err(|error| error.to_string()),
            })
            .collect()
    }
}

/// The name of the recurrence that a backend without the persistent one will run.
#[cfg(any(feature = "cpu", feature = "wgpu"))]
fn without_persistent(
    backend: &'static str,
    chosen: crate::Recurrence,
) -> Result<String, ModelError> {
    use crate::Recurrence;

    match chosen {
        Recurrence::Persistent => Err(ModelError::Setting {
            setting: "recurrence",
            value: format!("persistent on {backend}"),
            remedy: "the persistent recurrence runs on CUDA alone; choose fused, or leave it out",
        }),
        Recurrence::Auto => Ok(Recurrence::Fused.name().to_owned()),
        other => Ok(other.name().to_owned()),
    }
}
