//! Reports the steps of an epoch to the coordinator.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::epoch::EpochRate;
use crate::process::protocol::Event;

/// Minimum time between two progress updates.
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// Reports steps to the coordinator, and watches for its request to stop.
pub(super) struct StepReporter<'a> {
    stop: &'a AtomicBool,
    updated: Instant,
}

impl<'a> StepReporter<'a> {
    pub fn new(stop: &'a AtomicBool) -> Self {
        StepReporter {
            stop,
            updated: Instant::now(),
        }
    }

    /// Reports a step of an epoch, unless a report was sent just before. Returns whether to continue.
    pub fn step(&mut self, epoch: u64, rate: EpochRate) -> bool {
        if self.updated.elapsed() >= BETWEEN_UPDATES {
            self.updated = Instant::now();
            // If the coordinator is gone, standard input closes and the process exits.
            let _ = Event::Step {
                epoch: epoch + 1,
                done: rate.done,
                batches: rate.batches,
                rate: rate.rate,
                loss: rate.loss,
            }
            .send();
        }
        !self.stop.load(Ordering::Relaxed)
    }
}
