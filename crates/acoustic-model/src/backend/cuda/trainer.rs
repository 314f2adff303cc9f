//! Creates trainers on CUDA: which recurrence they use, and with which hidden size.

use cubecl::Runtime;
use cubecl::cuda::CudaRuntime;
use padwise_cuda_kernels::recurrence::{
    Batches, MOST_UTTERANCES, PASSES_FIXED_UP_TO, SIZE_STEP, SMALLEST,
};
use padwise_model_config::{BackendChoice, Padding, Precision, Recurrence, TrainerConfig};

use super::device::{Cuda, probe};
use super::recurrence::plans;
use super::{gemm, kernel_cache, zeros};
use crate::backend::cube;
use crate::error::ModelError;
use crate::training::{Trainer, WidenedTrainer};

/// Creates a trainer. Hidden sizes that only the fused recurrence supports are widened to the next one that the persistent
/// recurrence supports, which is faster.
pub(crate) fn trainer(config: TrainerConfig) -> Result<Box<dyn Trainer>, ModelError> {
    probe()?;
    zeros::clear();
    match widened(&config) {
        Some(hidden) => Ok(Box::new(WidenedTrainer::new(
            config,
            hidden,
            plain_trainer,
        )?)),
        None => plain_trainer(config),
    }
}

/// The hidden size to train with, if it is not the model's own.
fn widened(config: &TrainerConfig) -> Option<usize> {
    let hidden = config.model.hidden;
    let wide = hidden.next_multiple_of(SIZE_STEP);
    let is_persistent = matches!(config.recurrence, Recurrence::Persistent | Recurrence::Auto);
    // Smaller layers stay fused, which unlike the persistent recurrence lets several trainers share a GPU.
    if !is_persistent || hidden < SMALLEST || wide == hidden {
        return None;
    }
    let client = CudaRuntime::client(&Default::default());
    let fits = plans(&client, wide, batches(config, 1), config.precision).is_ok();
    fits.then_some(wide)
}

/// Batches of this many utterances, stored as the config says.
fn batches(config: &TrainerConfig, utterances: usize) -> Batches {
    Batches {
        utterances,
        packed: config.padding == Padding::Packed,
    }
}

fn plain_trainer(config: TrainerConfig) -> Result<Box<dyn Trainer>, ModelError> {
    let name = probe()?;
    kernel_cache::keep_where_asked();
    if config.precision == Precision::StrictF32 && !gemm::available() {
        return Err(ModelError::Precision {
            precision: config.precision,
            device: format!("cuda ({name})"),
            reason: "it needs compute capability 9.0 (Hopper); other devices compute GEMMs in TF32"
                .into(),
        });
    }
    let recurrence = match config.recurrence {
        Recurrence::Persistent | Recurrence::Auto => {
            let client = CudaRuntime::client(&Default::default());
            let hidden = config.model.hidden;
            let plans_for = |utterances| {
                let batches = batches(&config, utterances);
                plans(&client, hidden, batches, config.precision)
            };
            let persistent = |up_to| format!("persistent (fused above {up_to} utterances)");
            match (plans_for(1), plans_for(MOST_UTTERANCES)) {
                (Ok(_), Ok(_)) => persistent(MOST_UTTERANCES),
                (Ok(_), Err(_)) => persistent(PASSES_FIXED_UP_TO),
                (Err(reason), _) => format!("fused ({reason})"),
            }
        }
        other => other.name().to_owned(),
    };
    let f32_means = if gemm::available() {
        "TF32-precision GEMMs (scaled f16), f32 sums"
    } else {
        "TF32 GEMMs (scaled f16 of the same precision in the persistent recurrence), f32 sums"
    };
    cube::trainer::<CudaRuntime, Cuda>(
        config,
        BackendChoice::Cuda,
        Default::default(),
        name,
        f32_means,
        recurrence,
    )
}
