//! The device: whether there is one, and what it has.

// Asking whether the driver's libraries are there loads them, which the driver's bindings rightly call unsafe: a library's
// initialisers run. They are the same libraries that the backend would load a moment later. Asking a device for its properties is
// a foreign call.
#![allow(unsafe_code)]

use burn_cubecl::tensor::CubeTensor;
use cubecl::client::ComputeClient;
use cubecl::cuda::CudaRuntime;
use padwise_model_config::BackendChoice;

use crate::error::ModelError;

/// burn's CUDA backend, below fusion: our kernels take its place.
pub type Cuda = burn_cuda::Cuda<f32, i32>;

/// One of its tensors.
pub(super) type CudaTensor = CubeTensor<CudaRuntime>;

fn missing(reason: impl Into<String>) -> ModelError {
    ModelError::NoDevice {
        backend: BackendChoice::Cuda,
        reason: reason.into(),
    }
}

/// The compute capability of the first device.
pub(super) fn compute_capability() -> Option<(i32, i32)> {
    use cudarc::driver::{result, sys::CUdevice_attribute as attribute};

    result::init().ok()?;
    let device = result::device::get(0).ok()?;
    let ask = |attribute| unsafe { result::device::get_attribute(device, attribute) }.ok();
    Some((
        ask(attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        ask(attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    ))
}

/// How many multiprocessors a device has.
pub(super) fn multiprocessors(client: &ComputeClient<CudaRuntime>) -> usize {
    let hardware = &client.properties().hardware;
    // Every NVIDIA device tells; two would only make it slow.
    hardware.num_streaming_multiprocessors.unwrap_or(2) as usize
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
