//! A count of the kernels that our own code launches.
//!
//! On small models a launch costs the host more than the device, so a speed without its launch count explains nothing.
//! The count is for one process, over all devices; whatever burn launches on its own account is not in it.

use std::sync::atomic::{AtomicU64, Ordering};

static LAUNCHES: AtomicU64 = AtomicU64::new(0);

/// Kernels launched by our own code since the process began.
pub fn count() -> u64 {
    LAUNCHES.load(Ordering::Relaxed)
}

/// Notes that kernels are being launched.
pub fn add(launches: u64) {
    LAUNCHES.fetch_add(launches, Ordering::Relaxed);
}
