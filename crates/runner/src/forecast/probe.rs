//! The largest batches, tried: whether they fit, how much they take, and which would.
//!
//! Shapes that several strategies share are tried once, the largest first, until the time for it is up. What there is no room for by the
//! estimate is not tried: on a CPU it might take other programs down with it. A batch that does not
//! fit is tried again with half of its items, and so on: what is then said to fit does.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::{Forecast, LargestBatch};
use crate::experiment::Experiment;
use crate::process::protocol::{Event, StepShape, Task};
use crate::process::{Interrupt, WorkerProcess};

/// All tries of a check end after this long: a check is something to wait for.
pub const TIME_FOR_PROBES: Duration = Duration::from_secs(30);

/// What came of trying.
#[derive(Clone, Debug, PartialEq)]
pub enum Probed {
    /// It fits, and took this many bytes, where that can be told.
    Fits(Option<u64>),
    /// It does not, for this reason.
    Fails(String),
    /// There was no time to find out.
    TooSlow,
    /// There is no room for it by the estimate, so it was not tried.
    NoRoom,
}

impl Experiment {
    /// Tries the largest batch of every strategy, where the device has this much memory left.
    pub fn probe(&self, forecasts: &[Forecast], memory: Option<u64>) -> Result<Vec<Probed>> {
        let end = Instant::now() + TIME_FOR_PROBES;
        let mut largest: Vec<&LargestBatch> =
            forecasts.iter().map(|forecast| &forecast.largest).collect();
        largest.sort_by_key(|largest| std::cmp::Reverse(largest.frames()));
        let mut found: BTreeMap<(usize, u32), Probed> = BTreeMap::new();
        for largest in largest {
            if let Entry::Vacant(place) = found.entry((largest.items, largest.length)) {
                place.insert(if memory.is_some_and(|memory| largest.bytes > memory) {
                    Probed::NoRoom
                } else {
                    self.probe_one(largest.items, largest.length, end)?
                });
            }
        }
        let of = |largest: &LargestBatch| found.get(&(largest.items, largest.length)).cloned();
        Ok(forecasts
            .iter()
            .map(|forecast| of(&forecast.largest).unwrap_or(Probed::NoRoom))
            .collect())
    }

    fn probe_one(&self, items: usize, length: u32, end: Instant) -> Result<Probed> {
        let corpus = &self.split.training;
        try_in_process(StepShape {
            config: self.config.clone(),
            inputs: corpus.dims(),
            classes: corpus.classes().unwrap_or(0),
            items,
            frames: length as usize,
            seconds: end.saturating_duration_since(Instant::now()).as_secs_f64(),
        })
    }

    /// What to say of a largest batch that was tried and did not fit.
    pub fn did_not_fit(&self, largest: &LargestBatch, reason: &str) -> Result<String> {
        let end = Instant::now() + TIME_FOR_PROBES;
        let mut items = largest.items / 2;
        while items > 0 {
            match self.probe_one(items, largest.length, end)? {
                Probed::Fits(_) => break,
                Probed::Fails(_) => items /= 2,
                Probed::TooSlow | Probed::NoRoom => {
                    return Ok(format!(
                        "{} and does not fit ({reason}); try fewer in a batch",
                        self.describe(largest)
                    ));
                }
            }
        }
        let remedy = match items {
            0 => "not even one utterance of that length fits: give chunk= in its line, or a smaller model.hidden".into(),
            items => format!(
                "batch={items} or frames={} in its line was tried and fits",
                items as u64 * u64::from(largest.length)
            ),
        };
        Ok(format!(
            "{} and does not fit ({reason}); {remedy}",
            self.describe(largest)
        ))
    }
}

/// Tries a step in another process, so that one that does not fit does no harm here.
fn try_in_process(shape: StepShape) -> Result<Probed> {
    if shape.seconds <= 0.0 {
        return Ok(Probed::TooSlow);
    }
    let interrupt = Interrupt::default();
    let mut worker = WorkerProcess::start(&Task::Probe(Box::new(shape)), &interrupt)?;
    let (mut found, mut failure) = (None, None);
    while let Some(event) = worker.next_event() {
        match event {
            Event::Probed { bytes } => found = Some(Probed::Fits(bytes)),
            Event::TooSlow => found = Some(Probed::TooSlow),
            Event::Failed { message } => failure = Some(message),
            _ => {}
        }
    }
    interrupt.set_worker(None);
    let failure = worker.wait(failure, found.is_some())?;
    let unsaid = || "the process that tried it said nothing".to_owned();
    Ok(found.unwrap_or_else(|| Probed::Fails(failure.unwrap_or_else(unsaid))))
}
