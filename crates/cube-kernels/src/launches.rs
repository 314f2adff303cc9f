//! A counter of our kernel launches.
//!
//! On small models a launch costs the host more time than the device, so the count helps to explain a
//! measured speed. It covers one process and all devices. Kernels launched by burn are not counted.

use std::sync::atomic::{AtomicU64, Ordering};

static LAUNCHES: AtomicU64 = AtomicU64::new(0);

/// Kernels launched by our code since the process started.
pub fn count() -> u64 {
    LAUNCHES.load(Ordering::Relaxed)
}

/// Adds to the count.
pub fn add(launches: u64) {
    LAUNCHES.fetch_add(launches, Ordering::Relaxed);
}
