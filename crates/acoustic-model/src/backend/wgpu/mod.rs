//! The wgpu backend: any GPU with Vulkan, Metal or WebGPU.

mod device;
mod gemm;

use cubecl::wgpu::WgpuRuntime;
use padwise_model_config::{BackendChoice, Precision, TrainerConfig};

use crate::backend::{cube, fused_only};
use crate::error::ModelError;
use crate::training::Trainer;
pub use device::{device, recorded_passes};
pub use gemm::{WgpuFactor, has_cooperative_matrices};

/// burn's wgpu backend without fusion, because our kernels replace fusion.
pub type Wgpu = burn_wgpu::Wgpu<f32, i32, u32>;

/// The adapter that wgpu selects.
pub(crate) struct Adapter {
    /// Its name and graphics API.
    pub(crate) name: String,
    /// Whether it is a GPU, not a software renderer on the CPU.
    pub(crate) is_gpu: bool,
}

/// Rounds the number of frames up so that all rows fill whole tiles of burn's matrix multiplication.
/// Otherwise each kernel is compiled twice, with and without bounds checks, which takes seconds.
fn in_whole_tiles(frames: usize, utterances: usize) -> usize {
    // Large matrices use tiles of 256 rows if planes have 32 units. Small matrices would mostly be padding
    // with such tiles.
    let tile: usize = if frames * utterances < 2048 { 64 } else { 256 };
    let shared = 1 << utterances.trailing_zeros().min(tile.trailing_zeros());
    frames.next_multiple_of(tile / shared)
}

/// The adapter that would be used, or the reason why there is none.
pub(crate) fn probe() -> Result<Adapter, ModelError> {
    let (_, adapter) = device::adapter()?;
    let info = adapter.get_info();
    Ok(Adapter {
        name: format!("{} ({})", info.name, info.backend),
        is_gpu: info.device_type != wgpu::DeviceType::Cpu,
    })
}

pub(crate) fn trainer(config: TrainerConfig) -> Result<Box<dyn Trainer>, ModelError> {
    let name = probe()?.name;
    let recurrence = fused_only::recurrence_name(BackendChoice::Wgpu, config.recurrence)?;
    let f32_means = if config.precision == Precision::F32 && has_cooperative_matrices() {
        "TF32-precision GEMMs (scaled f16 on cooperative matrices), f32 sums"
    } else {
        "f32"
    };
    cube::trainer::<WgpuRuntime, Wgpu>(
        config,
        BackendChoice::Wgpu,
        device()?,
        name,
        f32_means,
        recurrence,
    )
}

cube::kernel_backend!(
    Wgpu,
    WgpuRuntime,
    type Factor = WgpuFactor;,
    fn padded_frames(frames: usize, utterances: usize) -> usize {
        in_whole_tiles(frames, utterances)
    },
    fn factor(matrix: Tensor<Self, 2>, bound: Bound<Self>, precision: Precision) -> WgpuFactor {
        WgpuFactor::new(matrix, bound, precision)
    },
    fn multiply(
        lhs: MatrixView<'_, WgpuFactor>,
        rhs: MatrixView<'_, WgpuFactor>,
    ) -> Tensor<Self, 2> {
        let (left, right) = (lhs.factor, rhs.factor);
        let product = plain_product(lhs.of(left.plain()), rhs.of(right.plain()));
        left.unscaled(right, product)
    },
    fn recurrence_forward(input: ForwardInput<'_, Self>, options: LayerOptions) -> Unrolled<Self> {
        match device::recorder() {
            Some(recorder) => fused_forward(input, options, recorder),
            None => fused_forward(input, options, &LaunchEach),
        }
    },
    fn recurrence_backward(
        input: BackwardInput<'_, Self>,
        options: LayerOptions,
    ) -> RowGradients<Self> {
        match device::recorder() {
            Some(recorder) => fused_backward(input, options, recorder),
            None => fused_backward(input, options, &LaunchEach),
        }
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fill_tiles_with_as_few_frames_as_can_be() {
        for (frames, utterances, filled) in [
            (700, 16, 704),
            (704, 16, 704),
            (705, 16, 720),
            (100, 16, 100),
            (101, 16, 104),
            (3000, 1, 3072),
            (9, 7, 64),
            (1000, 512, 1000),
        ] {
            assert_eq!(in_whole_tiles(frames, utterances), filled);
        }
    }
}
