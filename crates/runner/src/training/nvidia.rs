//! What NVIDIA's management tool says of the GPU and of this process on it.

use std::process::Command;

/// Name, driver and memory of the first GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Gpu {
    /// The GPU's name.
    pub name: String,
    /// The driver's version.
    pub driver: String,
    /// Memory that is free on it, in bytes.
    pub free_bytes: u64,
}

/// The first GPU, where there is one and the tool is installed.
pub fn gpu() -> Option<Gpu> {
    let text = ask(&["--query-gpu=name,driver_version,memory.free"])?;
    let mut fields = text.lines().next()?.split(',').map(str::trim);
    Some(Gpu {
        name: fields.next()?.into(),
        driver: fields.next()?.into(),
        free_bytes: mebibytes(fields.next()?)?,
    })
}

/// Memory that this process has on the GPU, in bytes, driver and program code included.
pub fn process_bytes() -> Option<u64> {
    let own = std::process::id().to_string();
    let text = ask(&["--query-compute-apps=pid,used_memory"])?;
    text.lines().find_map(|line| {
        let (pid, used) = line.split_once(',')?;
        (pid.trim() == own).then(|| mebibytes(used.trim()))?
    })
}

fn ask(query: &[&str]) -> Option<String> {
    let output = Command::new("nvidia-smi")
        .args(query)
        .arg("--format=csv,noheader,nounits")
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn mebibytes(text: &str) -> Option<u64> {
    text.parse::<u64>().ok().map(|count| count << 20)
}
