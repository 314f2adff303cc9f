//! The CPU: burn's Flex backend, with the recurrence, the loss and the optimisers written directly over slices.

use burn::backend::Flex;

use crate::trainer::{Description, Trainer, TrainerConfig};
use crate::training::BackendTrainer;
use crate::{ModelError, Precision};

mod kernels;

/// The processor's name, where the system tells it.
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

pub(crate) fn trainer(config: TrainerConfig) -> Result<Box<dyn Trainer>, ModelError> {
    if config.precision != Precision::F32 {
        return Err(ModelError::Precision {
            precision: "bf16",
            backend: "cpu".into(),
            reason: "the CPU computes in f32; leave the precision out".into(),
        });
    }
    let description = Description {
        backend: "cpu",
        device: device_name(),
        recurrence: super::without_persistent("cpu", config.recurrence)?,
        precision: "f32".into(),
        parameters: config.model.parameter_count(),
    };
    // The allocator is the system's: what the process takes is for the caller to ask the system.
    let memory = |_: &_| None;
    Ok(Box::new(BackendTrainer::<Flex>::new(
        config,
        description,
        Default::default(),
        memory,
    )?))
}
