//! Memory of this process and this machine, read from `/proc`. On systems without `/proc` every value is unknown.

use std::fs;

/// Peak memory of this process since its start or the last [`reset_peak`], in bytes.
pub fn peak_bytes() -> Option<u64> {
    status("VmHWM:")
}

/// Current memory of this process, in bytes.
pub fn resident_bytes() -> Option<u64> {
    status("VmRSS:")
}

/// Memory available on this machine, in bytes.
pub fn available_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// Total memory of this machine, in bytes.
pub fn total_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")
}

/// Resets the peak to the current memory. Has no effect if the system does not allow it.
pub fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn status(name: &str) -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, name)
}

/// Parses a line like `VmHWM:    123 kB`; returns bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kilobytes_are_converted_to_bytes() {
        let text = "VmPeak:\t  9 kB\nVmHWM:\t    5432 kB\n";
        assert_eq!(field(text, "VmHWM:"), Some(5432 * 1024));
        assert_eq!(field(text, "VmRSS:"), None);
    }
}
