//! The CPU backend: burn's Flex, with our own kernels for the recurrence, the loss and the optimisers.

use burn_flex::Flex;
use padwise_model_config::{BackendChoice, Precision, TrainerConfig};

use crate::backend::fused_only;
use crate::error::ModelError;
use crate::training::{BackendTrainer, Description, Trainer};

mod kernels;
#[cfg(test)]
mod widened_tests;

/// The processor's name, if the system reports it.
pub(crate) fn device_name() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let model = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            text.lines()
                .find(|line| line.starts_with("model name"))
                .and_then(|line| line.split_once(':'))
                .map(|(_, name)| name.trim().to_owned())
        })
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{model}, {threads} threads")
}

/// Checks that the CPU can train with these settings.
pub(crate) fn check(config: &TrainerConfig) -> Result<(), ModelError> {
    // The CPU does not round f32 matrices, so f32 is already strict.
    if config.precision == Precision::Bf16 {
        return Err(ModelError::Precision {
            precision: config.precision,
            device: BackendChoice::Cpu.to_string(),
            reason: "the CPU computes in f32; remove the precision setting".into(),
        });
    }
    fused_only::recurrence_name(BackendChoice::Cpu, config.recurrence)?;
    Ok(())
}

pub(crate) fn trainer(config: TrainerConfig) -> Result<Box<dyn Trainer>, ModelError> {
    check(&config)?;
    let description = Description {
        backend: BackendChoice::Cpu,
        device: device_name(),
        recurrence: fused_only::recurrence_name(BackendChoice::Cpu, config.recurrence)?,
        precision: "f32".into(),
        parameters: config.model.parameter_count(),
    };
    // The system's allocator is used. The caller can ask the system for the memory of the process.
    let memory = |_: &_| None;
    Ok(Box::new(BackendTrainer::<Flex>::new(
        config,
        description,
        Default::default(),
        memory,
    )?))
}
