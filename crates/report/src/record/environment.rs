//! What made a result: commit, versions, machine, device, backend, precision, kernel.

use serde::{Deserialize, Serialize};

/// What computes, as the worker's trainer describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Computes {
    /// The backend: cpu, wgpu or cuda.
    pub backend: String,
    /// The device, in its own words.
    pub device: String,
    /// The way the recurrence is run.
    pub recurrence: String,
    /// The arithmetic of large products.
    pub precision: String,
    /// Numbers that the model learns.
    pub parameters: usize,
}

/// What made a result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// The version of padwise.
    pub padwise: String,
    /// Whether it was built with optimisation.
    pub optimised: bool,
    /// The commit it was built from, where it still stands beside the program; `+` after it where files were changed.
    pub commit: Option<String>,
    /// The system.
    pub system: String,
    /// The processor.
    pub cpu: Option<String>,
    /// Threads that it runs at a time.
    pub threads: usize,
    /// Memory of the machine.
    pub memory_bytes: Option<u64>,
    /// The NVIDIA GPU, where there is one.
    pub gpu: Option<String>,
    /// Its driver.
    pub driver: Option<String>,
    /// What computed.
    pub computes: Computes,
}
