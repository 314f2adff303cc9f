//! What this machine is, for the record.

use padwise_report::record::{Computes, Environment};

use super::{host, nvml};

/// This machine, with what computes on it.
pub fn environment(computes: Computes) -> Environment {
    let gpu = nvml::gpu().ok();
    let first_line = |path: &str| {
        let text = std::fs::read_to_string(path).ok()?;
        text.lines().next().map(str::to_owned)
    };
    Environment {
        padwise: env!("CARGO_PKG_VERSION").into(),
        optimised: !cfg!(debug_assertions),
        // With + where the sources had been changed since.
        commit: option_env!("PADWISE_COMMIT").map(str::to_owned),
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

fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
