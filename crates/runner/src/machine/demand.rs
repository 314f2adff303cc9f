//! Refuses work that needs more memory than this machine has.

use thiserror::Error;

use super::{host, nvml};
use crate::terminal::memory;

/// A request for more memory than the machine has.
#[derive(Debug, Error)]
#[error("{request} needs about {} of memory, but this machine has {}: use a smaller value", memory(*.needed), memory(*.available))]
pub struct TooLarge {
    request: String,
    needed: u64,
    available: u64,
}

/// Checks that the host has this much memory. Passes if its memory is unknown.
pub fn require_host(request: impl Into<String>, needed: u64) -> Result<(), TooLarge> {
    within(request, needed, host::total_bytes())
}

/// Checks that the host or the GPU has this much memory, whichever has more.
pub fn require_host_or_gpu(request: impl Into<String>, needed: u64) -> Result<(), TooLarge> {
    let gpu = nvml::gpu().ok().map(|gpu| gpu.free_bytes);
    within(request, needed, host::total_bytes().max(gpu))
}

fn within(request: impl Into<String>, needed: u64, available: Option<u64>) -> Result<(), TooLarge> {
    match available {
        Some(available) if needed > available => Err(TooLarge {
            request: request.into(),
            needed,
            available,
        }),
        _ => Ok(()),
    }
}
