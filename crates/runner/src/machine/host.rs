//! Memory of this process and of this machine, as the system tells it. On systems without `/proc` nothing is told.

use std::fs;

/// The most memory that this process has had since it began, or since [`forget_peak`], in bytes.
pub fn peak_bytes() -> Option<u64> {
    status("VmHWM:")
}

/// The memory of this process now, in bytes.
pub fn resident_bytes() -> Option<u64> {
    status("VmRSS:")
}

/// Memory that the machine could still give, in bytes.
pub fn available_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// Memory that the machine has, in bytes.
pub fn total_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")
}

/// Lets the peak begin again from what is in use now; where the system does not allow it, the peak stays what it is.
pub fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn status(name: &str) -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, name)
}

/// A line such as `VmHWM:    123 kB`.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_in_kilobytes() {
        let text = "VmPeak:\t  9 kB\nVmHWM:\t    5432 kB\n";
        assert_eq!(field(text, "VmHWM:"), Some(5432 * 1024));
        assert_eq!(field(text, "VmRSS:"), None);
    }
}
