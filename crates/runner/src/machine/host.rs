//! Memory and CPU time of this process and this machine, read from `/proc`. On systems without `/proc` every value is unknown.

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

/// CPU time of all threads of this process since its start, in seconds.
pub fn cpu_seconds() -> Option<f64> {
    cpu_time(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Linux counts CPU time in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// The sum of user and system time, the 14th and 15th field. The second field is a name in parentheses and may contain anything.
fn cpu_time(stat: &str) -> Option<f64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some((ticks()? + ticks()?) as f64 / TICKS_PER_SECOND)
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
    fn cpu_time_is_read_from_behind_the_name() {
        let stat = "7 (a) b) R 1 1 1 0 -1 64 90 0 0 0 250 50 0 0 20 0 1 0";
        assert_eq!(cpu_time(stat), Some(3.0));
        assert_eq!(cpu_time("7 (a) R 1"), None);
    }

    #[test]
    fn kilobytes_are_converted_to_bytes() {
        let text = "VmPeak:\t  9 kB\nVmHWM:\t    5432 kB\n";
        assert_eq!(field(text, "VmHWM:"), Some(5432 * 1024));
        assert_eq!(field(text, "VmRSS:"), None);
    }
}
