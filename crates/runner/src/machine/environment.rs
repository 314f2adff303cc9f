//! The description of this machine that `environment.json` records.

use padwise_report::record::{Computes, Environment};

use super::{host, nvml};

/// Describes this machine and the backend in use.
/// `verified`: whether the corpus files were verified.
pub fn environment(computes: Computes, verified: bool) -> Environment {
    let gpu = nvml::gpu().ok();
    let first_line = |path: &str| {
        let text = std::fs::read_to_string(path).ok()?;
        text.lines().next().map(str::to_owned)
    };
    Environment {
        padwise: env!("CARGO_PKG_VERSION").into(),
        optimised: !cfg!(debug_assertions),
        // Ends with + if the sources had uncommitted changes.
        commit: option_env!("PADWISE_COMMIT").map(str::to_owned),
        system: first_line("/proc/version")
            .map(|line| line.split(" (").next().unwrap_or_default().to_owned())
            .unwrap_or_else(|| std::env::consts::OS.to_owned()),
        cpu: cpu(),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: host::total_bytes(),
        driver: gpu.as_ref().map(|gpu| gpu.driver.clone()),
        gpu: gpu.map(|gpu| gpu.name),
        corpus_verified: Some(verified),
        computes,
    }
}

fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
