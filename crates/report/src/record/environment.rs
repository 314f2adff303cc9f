//! The environment of a run: commit, versions, machine, device, backend, precision, kernel.

use serde::{Deserialize, Serialize};

/// The backend and device, as the worker's trainer describes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Computes {
    /// The backend: cpu, wgpu or cuda.
    pub backend: String,
    /// The name that the device reports.
    pub device: String,
    /// The implementation of the recurrence.
    pub recurrence: String,
    /// The precision of large matrix multiplications (GEMMs).
    pub precision: String,
    /// The number of model parameters.
    pub parameters: usize,
}

/// The environment of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// The version of padwise.
    pub padwise: String,
    /// Whether it was built with optimisation.
    pub optimised: bool,
    /// The commit it was built from, if its checkout was still there at run time. A `+` marks uncommitted changes.
    pub commit: Option<String>,
    /// The operating system.
    pub system: String,
    /// The processor.
    pub cpu: Option<String>,
    /// Hardware threads.
    pub threads: usize,
    /// Memory of the machine, in bytes.
    pub memory_bytes: Option<u64>,
    /// The NVIDIA GPU, if there is one.
    pub gpu: Option<String>,
    /// The version of its driver.
    pub driver: Option<String>,
    /// Whether the corpus files were verified, or `--no-verify` was passed. None in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus_verified: Option<bool>,
    /// The backend and device.
    pub computes: Computes,
}
