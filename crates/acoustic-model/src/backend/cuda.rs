//! NVIDIA GPUs through CUDA.

// Asking whether the driver's libraries are there loads them, which the driver's bindings rightly call unsafe: a library's
// initialisers run. They are the same libraries that the backend would load a moment later.
#![allow(unsafe_code)]

use cubecl::cuda::CudaRuntime;

use crate::ModelError;
use crate::trainer::{Trainer, TrainerConfig};

/// burn's CUDA backend, below fusion: our kernels take its place.
pub type Cuda = burn_cuda::Cuda<f32, i32>;

fn missing(reason: impl Into<String>) -> ModelError {
    ModelError::NoDevice {
        backend: "cuda",
        reason: reason.into(),
    }
}

/// The name of the first device, or why there is none.
pub(crate) fn probe() -> Result<String, ModelError> {
    use cudarc::{driver, nvrtc};

    if !unsafe { driver::sys::is_culib_present() } {
        return Err(missing(
            "the CUDA driver library (libcuda) was not found; install the NVIDIA driver, or use another backend",
        ));
    }
    if !unsafe { nvrtc::sys::is_culib_present() } {
        return Err(missing(
            "the CUDA compiler library (libnvrtc) was not found; install the CUDA toolkit, or use another backend",
        ));
    }
    let driver_said = |error: driver::DriverError| missing(format!("the driver says {error}"));
    driver::result::init().map_err(driver_said)?;
    if driver::result::device::get_count().map_err(driver_said)? == 0 {
        return Err(missing("the driver sees no GPU"));
    }
    let device = driver::result::device::get(0).map_err(driver_said)?;
    driver::result::device::get_name(device).map_err(driver_said)
}

pub(crate) fn trainer(config: TrainerConfig) -> Result<Box<dyn Trainer>, ModelError> {
    let name = probe()?;
    super::cube::trainer::<CudaRuntime, Cuda>(config, "cuda", name, "tf32 products, f32 sums")
}

super::cube::kernel_backend!(Cuda);
