//! NVIDIA GPUs through CUDA.

// Asking whether the driver's libraries are there loads them, which the driver's bindings rightly call unsafe: a library's
// initialisers run. They are the same libraries that the backend would load a moment later.
#![allow(unsafe_code)]

use cubecl::Runtime;
use cubecl::client::ComputeClient;
use cubecl::cuda::CudaRuntime;

use crate::recurrence::persistent::{self, Plans};
use crate::trainer::{Trainer, TrainerConfig};
use crate::{ModelError, Precision, Recurrence};

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
    let recurrence = match config.recurrence {
        Recurrence::Persistent | Recurrence::Auto => {
            let client = CudaRuntime::client(&Default::default());
            match persistent::plans(&client, config.model.hidden, 1, config.precision) {
                Ok(_) => "persistent (fused above 128 utterances)".to_owned(),
                Err(reason) => format!("fused, since {reason}"),
            }
        }
        other => other.name().to_owned(),
    };
    let f32_means =
        "tf32 products (f16, with tf32's mantissa, in the persistent forward pass), f32 sums";
    super::cube::trainer::<CudaRuntime, Cuda>(config, "cuda", name, f32_means, recurrence)
}

/// The persistent plans for a layer, or none where it does not fit.
fn fitting(
    client: &ComputeClient<CudaRuntime>,
    hidden: usize,
    batch: usize,
    precision: Precision,
) -> Option<Plans> {
    match persistent::plans(client, hidden, batch, precision) {
        Ok(plans) => Some(plans),
        Err(reason) => {
            tracing::debug!(
                hidden,
                batch,
                reason,
                "the recurrence runs fused, not persistent"
            );
            None
        }
    }
}

super::cube::kernel_backend!(
    Cuda,
    fn fastest_forward(
        projections: Tensor<Self, 3>,
        bias: Tensor<Self, 1>,
        weight_hh: Tensor<Self, 3>,
        lengths: &Lengths<Self>,
        precision: Precision,
    ) -> Unrolled<Self> {
        let [_, batch, columns] = projections.dims();
        let projections = primitive(projections);
        let Some(plans) = fitting(&projections.client, columns / 8, batch, precision) else {
            return Self::fused_forward(tensor(projections), bias, weight_hh, lengths, precision);
        };
        let found = persistent::forward(
            &plans,
            projections,
            primitive(bias),
            primitive(weight_hh),
            lengths.packed().into_primitive(),
        );
        Unrolled {
            output: tensor(found.output),
            gates: tensor(found.gates),
            cells: tensor(found.cells),
        }
    },
    fn fastest_backward(
        grad_output: Tensor<Self, 3>,
        gates: Tensor<Self, 3>,
        cells: Tensor<Self, 3>,
        weight_hh: Tensor<Self, 3>,
        lengths: &Lengths<Self>,
        precision: Precision,
    ) -> Tensor<Self, 3> {
        let [_, batch, columns] = gates.dims();
        let gates = primitive(gates);
        let Some(plans) = fitting(&gates.client, columns / 8, batch, precision) else {
            let gates = tensor(gates);
            return Self::fused_backward(grad_output, gates, cells, weight_hh, lengths, precision);
        };
        tensor(persistent::backward(
            &plans,
            primitive(grad_output),
            gates,
            primitive(cells),
            primitive(weight_hh),
            lengths.packed().into_primitive(),
        ))
    }
);
