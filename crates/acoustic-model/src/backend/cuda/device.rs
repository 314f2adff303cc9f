//! The CUDA device: its presence and its properties.

#![allow(unsafe_code)] // Loading NVIDIA's libraries and querying the driver are foreign calls.

use std::sync::OnceLock;

use burn_cubecl::tensor::CubeTensor;
use cubecl::client::ComputeClient;
use cubecl::cuda::CudaRuntime;
use padwise_model_config::BackendChoice;

use crate::error::ModelError;

/// burn's CUDA backend without fusion, because our kernels replace fusion.
pub type Cuda = burn_cuda::Cuda<f32, i32>;

/// A tensor on the CUDA backend.
pub(super) type CudaTensor = CubeTensor<CudaRuntime>;

fn missing(reason: impl Into<String>) -> ModelError {
    ModelError::NoDevice {
        backend: BackendChoice::Cuda,
        reason: reason.into(),
    }
}

/// The compute capability of the first device.
pub(super) fn compute_capability() -> Option<(i32, i32)> {
    static KNOWN: OnceLock<Option<(i32, i32)>> = OnceLock::new();
    *KNOWN.get_or_init(ask_compute_capability)
}

fn ask_compute_capability() -> Option<(i32, i32)> {
    use cudarc::driver::{result, sys::CUdevice_attribute as attribute};

    result::init().ok()?;
    let device = result::device::get(0).ok()?;
    // SAFETY: the driver was initialised above, and `device` is a handle that it returned.
    let ask = |attribute| unsafe { result::device::get_attribute(device, attribute) }.ok();
    Some((
        ask(attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        ask(attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    ))
}

/// The number of multiprocessors of a device.
pub(super) fn multiprocessors(client: &ComputeClient<CudaRuntime>) -> usize {
    let hardware = &client.properties().hardware;
    // Every NVIDIA device reports this. The fallback of two affects only the speed.
    hardware.num_streaming_multiprocessors.unwrap_or(2) as usize
}

/// The name of the first device, or the reason why there is none.
pub(crate) fn probe() -> Result<String, ModelError> {
    use cudarc::{driver, nvrtc};

    // SAFETY: this loads NVIDIA's driver library, whose initialisers run. The backend loads the same library.
    if !unsafe { driver::sys::is_culib_present() } {
        return Err(missing(
            "the CUDA driver library (libcuda) was not found; install the NVIDIA driver, or use another backend",
        ));
    }
    // SAFETY: as above, for NVIDIA's compiler library.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        return Err(missing(
            "the CUDA compiler library (libnvrtc) was not found; install the CUDA toolkit, or use another backend",
        ));
    }
    let driver_error = |error: driver::DriverError| missing(format!("CUDA driver error: {error}"));
    driver::result::init().map_err(driver_error)?;
    if driver::result::device::get_count().map_err(driver_error)? == 0 {
        return Err(missing("the CUDA driver found no GPU"));
    }
    let device = driver::result::device::get(0).map_err(driver_error)?;
    driver::result::device::get_name(device).map_err(driver_error)
}
