//! GPU memory, energy and driver version from NVIDIA's management library (NVML).
//!
//! The library comes with the driver and is loaded at run time, so padwise builds and runs without it. Unlike our allocator, it knows
//! the memory of other processes, of the driver and of kernel code.

use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};
use thiserror::Error;

/// Name, driver and memory of a GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Gpu {
    /// The GPU's name.
    pub name: String,
    /// The driver's version.
    pub driver: String,
    /// Free memory, in bytes.
    pub free_bytes: u64,
}

/// Why NVML gives no answer.
#[derive(Debug, Error)]
pub enum NvmlFailure {
    /// The library or the driver is missing.
    #[error("not available: NVIDIA's driver is not installed or not running")]
    NoDriver,
    /// The library returned an error.
    #[error("not available: {0}")]
    Other(NvmlError),
}

impl From<NvmlError> for NvmlFailure {
    fn from(error: NvmlError) -> Self {
        match error {
            NvmlError::LibloadingError(_)
            | NvmlError::LibraryNotFound
            | NvmlError::DriverNotLoaded => NvmlFailure::NoDriver,
            other => NvmlFailure::Other(other),
        }
    }
}

/// The GPU that CUDA uses by default.
pub fn gpu() -> Result<Gpu, NvmlFailure> {
    let nvml = Nvml::init()?;
    let device = chosen(&nvml)?;
    Ok(Gpu {
        name: device.name()?,
        driver: nvml.sys_driver_version()?,
        free_bytes: device.memory_info()?.free,
    })
}

/// GPU memory of this process in bytes, including the driver's and kernel code. Unknown in containers with their own process ids.
pub fn process_bytes() -> Option<u64> {
    let nvml = Nvml::init().ok()?;
    let processes = chosen(&nvml).ok()?.running_compute_processes().ok()?;
    let own = processes
        .iter()
        .find(|process| process.pid == std::process::id())?;
    match own.used_gpu_memory {
        UsedGpuMemory::Used(bytes) => Some(bytes),
        UsedGpuMemory::Unavailable => None,
    }
}

/// Energy that the GPU has used since the driver was loaded, in joules. Older GPUs do not count it.
pub fn energy_joules() -> Option<f64> {
    let nvml = Nvml::init().ok()?;
    let millijoules = chosen(&nvml).ok()?.total_energy_consumption().ok()?;
    Some(millijoules as f64 / 1000.0)
}

/// The GPUs that CUDA can use, as `CUDA_VISIBLE_DEVICES` names them.
pub fn visible_gpus() -> Vec<String> {
    let listed = std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default();
    let names = listed
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let listed: Vec<String> = names.map(String::from).collect();
    if !listed.is_empty() {
        return listed;
    }
    let count = Nvml::init().and_then(|nvml| nvml.device_count());
    (0..count.unwrap_or(0)).map(|gpu| gpu.to_string()).collect()
}

/// CUDA's first device: the first in `CUDA_VISIBLE_DEVICES`, by number or by UUID, or else device 0.
fn chosen(nvml: &Nvml) -> Result<Device<'_>, NvmlError> {
    let listed = std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default();
    match Chosen::of(&listed) {
        Chosen::Number(number) => nvml.device_by_index(number),
        Chosen::Name(name) => nvml.device_by_uuid(name),
    }
}

#[derive(Debug, PartialEq)]
enum Chosen<'a> {
    Number(u32),
    Name(&'a str),
}

impl<'a> Chosen<'a> {
    fn of(listed: &'a str) -> Self {
        let first = listed.split(',').next().unwrap_or_default().trim();
        match first.parse() {
            Ok(number) => Chosen::Number(number),
            Err(_) if first.is_empty() => Chosen::Number(0),
            Err(_) => Chosen::Name(first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_visible_device_is_chosen() {
        assert_eq!(Chosen::of(""), Chosen::Number(0));
        assert_eq!(Chosen::of("2,0"), Chosen::Number(2));
        assert_eq!(Chosen::of(" GPU-8932,1"), Chosen::Name("GPU-8932"));
    }

    #[test]
    fn a_missing_driver_is_reported() {
        let missing = Nvml::builder().lib_path("no-such-library".as_ref()).init();
        let error = missing.map(|_| ()).map_err(NvmlFailure::from);
        assert_eq!(
            error.map_err(|error| error.to_string()),
            Err("not available: NVIDIA's driver is not installed or not running".into())
        );
    }
}
