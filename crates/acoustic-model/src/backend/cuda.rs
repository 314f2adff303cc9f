//! NVIDIA GPUs through CUDA.

// Asking whether the driver's libraries are there loads them, which the driver's bindings rightly call unsafe: a library's
// initialisers run. They are the same libraries that the backend would load a moment later. Asking a device for its properties is
// a foreign call.
#![allow(unsafe_code)]

use burn::tensor::DType;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::ops::numeric::empty_device_contiguous_dtype;
use burn_cubecl::tensor::CubeTensor;
use burn_cuda::CudaDevice;
use cubecl::Runtime;
use cubecl::client::ComputeClient;
use cubecl::cuda::CudaRuntime;
use padwise_cuda_kernels::recurrence::MOST_UTTERANCES;
use padwise_cuda_kernels::{sums, upload};
use padwise_model_config::{BackendChoice, Precision, Recurrence, TrainerConfig};

use crate::ModelError;
use crate::buffers::empty_like;
use crate::products::PlainFactor;
use crate::products::hopper::{self, NarrowFactor};
use crate::raw_cuda::{launch, launch_with_data};
use crate::recurrence::persistent::{self, Plans};
use crate::trainer::Trainer;

/// burn's CUDA backend, below fusion: our kernels take its place.
pub type Cuda = burn_cuda::Cuda<f32, i32>;

type CudaTensor = CubeTensor<CudaRuntime>;

fn missing(reason: impl Into<String>) -> ModelError {
    ModelError::NoDevice {
        backend: BackendChoice::Cuda,
        reason: reason.into(),
    }
}

/// The compute capability of the first device.
pub(crate) fn compute_capability() -> Option<(i32, i32)> {
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
pub(crate) fn multiprocessors(client: &ComputeClient<CudaRuntime>) -> usize {
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

pub(crate) fn trainer(config: TrainerConfig) -> Result<Box<dyn Trainer>, ModelError> {
    let name = probe()?;
    super::compiled::keep_where_asked();
    if config.precision == Precision::StrictF32 && !hopper::available() {
        return Err(ModelError::Precision {
            precision: config.precision,
            device: format!("cuda ({name})"),
            reason:
                "it needs the tensor cores of compute capability 9.0; elsewhere products are tf32"
                    .into(),
        });
    }
    let recurrence = match config.recurrence {
        Recurrence::Persistent | Recurrence::Auto => {
            let client = CudaRuntime::client(&Default::default());
            match persistent::plans(&client, config.model.hidden, 1, config.precision) {
                Ok(_) => format!("persistent (fused above {MOST_UTTERANCES} utterances)"),
                Err(reason) => format!("fused, since {reason}"),
            }
        }
        other => other.name().to_owned(),
    };
    let f32_means = if hopper::available() {
        "products with tf32's mantissa (scaled f16; tf32 in the backward recurrence), f32 sums"
    } else {
        "tf32 products (f16, with tf32's mantissa, in the persistent forward pass), f32 sums"
    };
    super::cube::trainer::<CudaRuntime, Cuda>(
        config,
        BackendChoice::Cuda,
        name,
        f32_means,
        recurrence,
    )
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

/// The sum of each column.
fn column_sums(matrix: CudaTensor) -> CudaTensor {
    let matrix = into_contiguous(matrix);
    let [rows, columns] = matrix.meta.shape().dims::<2>();
    let sms = multiprocessors(&matrix.client);
    let plan = sums::column_sums([rows, columns], sms);
    let slices = empty_like(&matrix, [plan.slices, columns], DType::F32);
    launch(plan.kernel, &[&matrix, &slices], plan.numbers);
    let found = empty_like(&matrix, [columns], DType::F32);
    let (kernel, numbers) = sums::sum_slices(columns, plan.slices, sms);
    launch(kernel, &[&slices, &found], numbers);
    found
}

/// 32-bit numbers from the host in a tensor, without waiting for the device.
fn upload(
    numbers: impl ExactSizeIterator<Item = u32>,
    shape: &[usize],
    dtype: DType,
    device: &CudaDevice,
) -> CudaTensor {
    let client = CudaRuntime::client(device);
    let kernel = upload::kernel(numbers.len(), multiprocessors(&client));
    let found = empty_device_contiguous_dtype(client, device.clone(), shape.into(), dtype);
    launch_with_data(kernel, &[&found], upload::data(numbers));
    found
}

/// A matrix ready to be multiplied: narrowed for Hopper's tensor cores, or as it is for burn's own product.
#[derive(Debug, Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "there are a dozen of them at a time"
)]
pub enum CudaFactor {
    /// 16 bits wide.
    Narrow(NarrowFactor),
    /// As it is.
    Plain(PlainFactor<Cuda>),
}

super::cube::kernel_backend!(
    Cuda,
    type Factor = CudaFactor;,
    fn factor(matrix: Tensor<Self, 2>, bound: Bound<Self>, precision: Precision) -> CudaFactor {
        if !hopper::available() {
            return CudaFactor::Plain(PlainFactor { matrix, precision });
        }
        CudaFactor::Narrow(NarrowFactor::new(primitive(matrix), bound, precision))
    },
    fn product(lhs: Part<'_, CudaFactor>, rhs: Part<'_, CudaFactor>) -> Tensor<Self, 2> {
        match (lhs.factor, rhs.factor) {
            (CudaFactor::Narrow(left), CudaFactor::Narrow(right)) => {
                tensor(hopper::product(lhs.of(left), rhs.of(right)))
            }
            (CudaFactor::Plain(left), CudaFactor::Plain(right)) => {
                let precision = left.precision;
                let (left, right) = (lhs.of(left), rhs.of(right));
                let (left, right) = (PlainFactor::part(left), PlainFactor::part(right));
                tensor(cube::product(primitive(left), primitive(right), precision))
            }
            // A device is of one kind or the other.
            _ => unreachable!("factors of two kinds"),
        }
    },
    fn column_sums(matrix: Tensor<Self, 2>) -> Tensor<Self, 1> {
        tensor(column_sums(primitive(matrix)))
    },
    fn upload_floats<const D: usize>(
        values: Vec<f32>,
        shape: [usize; D],
        device: &Self::Device,
    ) -> Tensor<Self, D> {
        tensor(upload(
            values.iter().map(|value| value.to_bits()),
            &shape,
            DType::F32,
            device,
        ))
    },
    fn upload_integers<const D: usize>(
        values: Vec<i32>,
        shape: [usize; D],
        device: &Self::Device,
    ) -> Tensor<Self, D, Int> {
        let numbers = values.iter().map(|value| value.cast_unsigned());
        Tensor::from_primitive(upload(numbers, &shape, DType::I32, device))
    },
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
    ) -> (Tensor<Self, 3>, Bound<Self>) {
        let [_, batch, columns] = gates.dims();
        let gates = primitive(gates);
        let Some(plans) = fitting(&gates.client, columns / 8, batch, precision) else {
            let gates = tensor(gates);
            let gradients =
                Self::fused_backward(grad_output, gates, cells, weight_hh, lengths, precision);
            return (gradients, Bound::Unknown);
        };
        let (gradients, largest) = persistent::backward(
            &plans,
            primitive(grad_output),
            gates,
            primitive(cells),
            primitive(weight_hh),
            lengths.packed().into_primitive(),
        );
        (tensor(gradients), Bound::Largest(tensor(largest)))
    }
);
