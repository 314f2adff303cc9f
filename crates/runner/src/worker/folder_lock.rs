//! Waits until an earlier worker in the same results folder has exited.
//!
//! A worker that lost its coordinator exits when it notices. Until then it may still write a checkpoint.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::checkpoints;
use crate::process::protocol::Event;
use crate::results_folder::open_in_place;

const BETWEEN_TRIES: Duration = Duration::from_millis(50);

/// Locks the checkpoints of a results folder. None if a stop was requested while waiting.
pub(super) fn lock(results: &Path, stop: &AtomicBool) -> Result<Option<File>> {
    let path = results.join(checkpoints::FOLDER).join("lock");
    let named = || format!("cannot lock {}", path.display());
    let file = open_in_place(&path, OpenOptions::new().create(true).write(true));
    let file = file.with_context(named)?;
    let mut reported = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::Error(error)) => return Err(error).with_context(named),
            Err(TryLockError::WouldBlock) if stop.load(Ordering::Relaxed) => return Ok(None),
            Err(TryLockError::WouldBlock) => {}
        }
        if !reported {
            Event::Waiting.send()?;
            reported = true;
        }
        std::thread::sleep(BETWEEN_TRIES);
    }
}
