//! The user's request to stop, and how it reaches the worker.

use std::io::Write;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::protocol::STOP;
use super::{BETWEEN_CHECKS, lock};

/// How long a worker may take to end by itself after its standard input was closed.
const AFTER_CLOSE: Duration = Duration::from_secs(2);

/// A request to stop, passed on to the worker.
#[derive(Clone, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    worker: Arc<Mutex<Option<Box<dyn Write + Send>>>>,
    /// The worker process, if this process started one.
    child: Arc<Mutex<Option<Arc<Mutex<Child>>>>>,
}

impl Interrupt {
    /// Requests a stop after the current batch. Returns whether a stop was already requested.
    pub fn ask(&self) -> bool {
        let before = self.asked.swap(true, Ordering::SeqCst);
        self.pass_on();
        before
    }

    /// Whether a stop was requested.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Sets the worker that receives the request.
    pub fn set_worker(&self, stdin: Option<Box<dyn Write + Send>>) {
        *self.worker.lock().unwrap_or_else(PoisonError::into_inner) = stdin;
        if self.asked() {
            self.pass_on();
        }
    }

    /// Ends the worker without waiting for its batch. `mpirun` ends its workers, too, so it is killed only if it hangs.
    pub fn end_worker(&self) {
        self.set_worker(None);
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(child) = child.as_ref() {
            let closed = Instant::now();
            while matches!(lock(child).try_wait(), Ok(None)) {
                if closed.elapsed() > AFTER_CLOSE {
                    let _ = lock(child).kill();
                    return;
                }
                std::thread::sleep(BETWEEN_CHECKS);
            }
        }
    }

    pub(super) fn set_child(&self, started: &Arc<Mutex<Child>>) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        *child = Some(started.clone());
    }

    fn pass_on(&self) {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stdin) = worker.as_mut() {
            // Writing fails if the worker has ended, which is fine.
            let _ = writeln!(stdin, "{STOP}").and_then(|()| stdin.flush());
        }
    }
}
