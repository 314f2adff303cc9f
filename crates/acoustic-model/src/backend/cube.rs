//! What the GPU backends share: the same CubeCL kernels, the same allocator to ask.

use burn_cubecl::CubeRuntime;
use burn::tensor::DType;

use crate::trainer::{Description, Memory, Trainer, TrainerConfig};
use crate::training::BackendTrainer;
use crate::{KernelBackend, ModelBackend, ModelError, Precision};

/// A trainer on a CubeCL runtime.
pub(super) fn trainer<R, B>(
    config: TrainerConfig,
    backend: &'static str,
    device_name: String,
    f32_means: &'static str,
) -> Result<Box<dyn Trainer>, ModelError>
where
    R: CubeRuntime,
    B: KernelBackend + ModelBackend<Device = R::Device>,
{
    let device = B::Device::default();
    if config.precision == Precision::Bf16 && !B::supports_dtype(&device, DType::BF16) {
        return Err(ModelError::Precision {
            precision: "bf16",
            backend: format!("{backend} ({device_name})"),
            reason: "the device does not compute in bf16; leave the precision out".into(),
        });
    }
    let description = Description {
        backend,
        device: device_name,
        recurrence: format!("{:?}", config.recurrence).to_lowercase(),
        precision: match config.precision {
            Precision::F32 => f32_means,
            Precision::Bf16 => "bf16 products, f32 sums",
        }
        .into(),
        parameters: config.model.parameter_count(),
    };
    Ok(Box::new(BackendTrainer::<B>::new(
        config,
        description,
        device,
        memory::<R>,
    )?))
}

/// What the allocator holds.
fn memory<R: CubeRuntime>(device: &R::Device) -> Option<Memory> {
    let usage = R::client(device).memory_usage().ok()?;
    Some(Memory {
        in_use: usage.bytes_in_use,
        reserved: usage.bytes_reserved,
    })
}
