//! What made a result: commit, versions, machine, device, backend, precision, kernel.

use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::training::{host, nvidia};

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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Environment {
    /// The version of padwise.
    pub padwise: &'static str,
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

impl Environment {
    /// This machine, with what computes on it.
    pub fn here(computes: Computes) -> Self {
        let gpu = nvidia::gpu().ok();
        let first_line = |path: &str| {
            let text = std::fs::read_to_string(path).ok()?;
            text.lines().next().map(str::to_owned)
        };
        Environment {
            padwise: env!("CARGO_PKG_VERSION"),
            optimised: !cfg!(debug_assertions),
            commit: commit(),
            system: first_line("/proc/version")
                .map(|line| line.split(" (").next().unwrap_or_default().to_owned())
                .unwrap_or_else(|| std::env::consts::OS.to_owned()),
            cpu: cpu(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: host::total_bytes(),
            driver: gpu.as_ref().map(|gpu| gpu.driver.clone()),
            gpu: gpu.map(|gpu| gpu.name),
            computes,
        }
    }
}

fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(["-C", env!("CARGO_MANIFEST_DIR")])
            .args(arguments)
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(text)
    };
    let head = git(&["rev-parse", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])
        .is_some_and(|changes| !changes.is_empty());
    Some(if changed { head + "+" } else { head })
}
