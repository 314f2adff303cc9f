//! Tries training steps on the largest batches to measure their memory and time.
//!
//! Each shape is tried once, the largest first, until the time limit. A batch whose estimate exceeds the free memory is not tried,
//! because on a CPU it could make other programs run out of memory. A batch that does not fit is tried again with half of its items,
//! and so on. Every size reported as fitting was actually run.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::{Forecast, LargestBatch};
use crate::experiment::Experiment;
use crate::process::protocol::{Event, StepShape, Task};
use crate::process::{Interrupt, WorkerProcess};

/// The time limit for all tries of a check.
pub const TIME_FOR_PROBES: Duration = Duration::from_secs(30);

/// The result of trying a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum Probed {
    /// It fits.
    Fits {
        /// Peak memory, if known.
        bytes: Option<u64>,
        /// Duration of the second step, unless the time limit ended first.
        seconds: Option<f64>,
    },
    /// The device ran out of memory; its message.
    OutOfMemory(String),
    /// The step failed for another reason.
    Fails(String),
    /// The time limit ended first.
    TooSlow,
    /// Not tried, because the estimate exceeds the free memory.
    NoRoom,
}

impl Experiment {
    /// Tries the largest batch of every strategy. `memory` is the device's free memory, if known.
    pub fn probe(&self, forecasts: &[Forecast], memory: Option<u64>) -> Result<Vec<Probed>> {
        let end = Instant::now() + TIME_FOR_PROBES;
        let has_room = |largest: &LargestBatch| memory.is_none_or(|memory| largest.bytes <= memory);
        let largest = forecasts.iter().map(|forecast| &forecast.largest);
        let mut largest: Vec<&LargestBatch> = largest.filter(|one| has_room(one)).collect();
        largest.sort_by_key(|largest| std::cmp::Reverse(largest.stored_frames));
        let shape = |largest: &LargestBatch| (largest.items, largest.length, largest.stored_frames);
        let mut found: BTreeMap<(usize, u32, u64), Probed> = BTreeMap::new();
        for largest in largest {
            if let Entry::Vacant(place) = found.entry(shape(largest)) {
                place.insert(self.probe_one(largest, largest.items, end)?);
            }
        }
        let of = |largest: &LargestBatch| {
            let known = found.get(&shape(largest));
            known.filter(|_| has_room(largest)).cloned()
        };
        Ok(forecasts
            .iter()
            .map(|forecast| of(&forecast.largest).unwrap_or(Probed::NoRoom))
            .collect())
    }

    /// Tries a batch like the largest one, with this many items.
    fn probe_one(&self, largest: &LargestBatch, items: usize, end: Instant) -> Result<Probed> {
        let corpus = &self.split.training;
        try_in_process(StepShape {
            config: self.config.clone(),
            inputs: corpus.dims(),
            classes: self.split.classes,
            items,
            frames: largest.length as usize,
            stored_frames: largest.stored_frames * items as u64 / largest.items.max(1) as u64,
            frames_per_label: self.frames_per_label()?,
            seconds: end.saturating_duration_since(Instant::now()).as_secs_f64(),
        })
    }

    /// Why a largest batch did not fit when it was tried, and which size does.
    pub fn did_not_fit(&self, largest: &LargestBatch, reason: &str) -> Result<String> {
        let end = Instant::now() + TIME_FOR_PROBES;
        let mut items = largest.items / 2;
        while items > 0 {
            match self.probe_one(largest, items, end)? {
                Probed::Fits { .. } => break,
                Probed::OutOfMemory(_) => items /= 2,
                Probed::TooSlow | Probed::NoRoom | Probed::Fails(_) => {
                    return Ok(format!(
                        "{} and does not fit ({reason}); use smaller batches",
                        self.describe(largest)
                    ));
                }
            }
        }
        let remedy = match items {
            0 => self.single_utterance("chunk="),
            items => format!(
                "batch={items} or frames={} in this strategy's line fits (measured)",
                items as u64 * u64::from(largest.length)
            ),
        };
        Ok(format!(
            "{} and does not fit ({reason}); {remedy}",
            self.describe(largest)
        ))
    }
}

/// Tries a step in another process, because running out of memory may end it.
fn try_in_process(shape: StepShape) -> Result<Probed> {
    if shape.seconds <= 0.0 {
        return Ok(Probed::TooSlow);
    }
    let interrupt = Interrupt::default();
    let mut worker = WorkerProcess::start(&Task::Probe(Box::new(shape)), &interrupt)?;
    let (mut found, mut failure) = (None, None);
    while let Some(event) = worker.next_event() {
        match event {
            Event::Probed { bytes, seconds } => found = Some(Probed::Fits { bytes, seconds }),
            // After the first step, only the time is unknown.
            Event::TooSlow => found = found.or(Some(Probed::TooSlow)),
            Event::Failed { message } => failure = Some(message),
            _ => {}
        }
    }
    interrupt.set_worker(None);
    let timed = |found: &Probed| matches!(found, Probed::Fits { seconds, .. } if seconds.is_some());
    let failure = worker.wait(failure, found.as_ref().is_some_and(timed))?;
    let unknown = || "the process ended without a reason".to_owned();
    Ok(match (failure, found) {
        (None, Some(found)) => found,
        (failure, _) => {
            let reason = failure.unwrap_or_else(unknown);
            match is_out_of_memory(&reason) {
                true => Probed::OutOfMemory(reason),
                false => Probed::Fails(reason),
            }
        }
    })
}

/// Whether the message of a failed process says that memory ran out. Drivers have no common error type.
fn is_out_of_memory(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    // Rust's allocator, CUDA and Vulkan, wgpu's limits, and the system's out-of-memory killer.
    [
        "memory allocation of",
        "out of memory",
        "out_of_memory",
        "outofmemory",
        "buffer size",
        "signal: 9",
    ]
    .iter()
    .any(|sign| reason.contains(sign))
}
