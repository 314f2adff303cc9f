//! Waits until an earlier worker in the same results folder has exited.
//!
//! A worker that lost its coordinator exits when it notices. Until then it may still write a checkpoint. If several processes write
//! checkpoints, each writes its own files and has its own lock, because the earlier ones may exit at different times.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::checkpoints;
use crate::process::protocol::Event;
use crate::results_folder::open_in_place;

const BETWEEN_TRIES: Duration = Duration::from_millis(50);

/// Locks the checkpoints of a worker in a results folder. None if a stop was requested while waiting.
pub(super) fn lock(results: &Path, worker: usize, stop: &AtomicBool) -> Result<Option<File>> {
    let name = match worker {
        0 => "lock".to_owned(),
        worker => format!("lock-worker{worker}"),
    };
    let path = results.join(checkpoints::FOLDER).join(name);
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
        // Only worker 0 reports to the coordinator.
        if !reported && worker == 0 {
            Event::Waiting.send()?;
            reported = true;
        }
        std::thread::sleep(BETWEEN_TRIES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_worker_waits_for_its_own_predecessor() {
        let results = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(results.path().join(checkpoints::FOLDER)).expect("writable");
        let stop = AtomicBool::new(true);
        let lock = |worker| lock(results.path(), worker, &stop).expect("a lock");
        let earlier = lock(1).expect("the first one");
        assert!(lock(0).is_some());
        assert!(lock(1).is_none());
        drop(earlier);
        assert!(lock(1).is_some());
    }
}
