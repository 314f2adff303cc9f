//! One step of training on a batch of a given shape, in a process of its own: whether it fits, and how much memory it took.
//!
//! Memory depends on shapes and not on what is in them, so the batch is made up and no corpus is read.

use std::time::{Duration, Instant};

use anyhow::Result;
use padwise_model::{PaddedBatch, Targets};

use super::host;
use super::process::{Interrupt, Worker};
use super::protocol::{Event, Shape, Task};
use super::worker::tell;
use crate::loader::Teach;

/// About one label in so many frames, as in speech.
const FRAMES_A_LABEL: usize = 10;

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

/// Tries a step in another process, so that one that does not fit does no harm here.
pub fn probe(shape: Shape) -> Result<Probed> {
    if shape.seconds <= 0.0 {
        return Ok(Probed::TooSlow);
    }
    let interrupt = Interrupt::default();
    let mut worker = Worker::start(&Task::Probe(Box::new(shape)), &interrupt)?;
    let (mut found, mut failure) = (None, None);
    while let Some(event) = worker.next() {
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

/// The other process's side.
pub(super) fn try_step(shape: &Shape) -> Result<()> {
    end_after(Duration::try_from_secs_f64(shape.seconds)?);
    let train = &shape.config.train;
    let config = train.trainer(&shape.config.model, shape.inputs, shape.classes, 0);
    let batch = made_up(shape, Teach::from(train.objective));
    let base = host::resident_bytes();
    let mut trainer = padwise_model::trainer(train.backend, config)?;
    trainer.watch_memory(true);
    host::forget_peak();
    trainer.step(batch)?;
    trainer.take_losses()?;
    trainer.synchronise()?;
    let on_host = || Some(host::peak_bytes()?.saturating_sub(base?));
    let on_device = trainer.memory().and_then(|memory| memory.peak);
    tell(&Event::Probed {
        bytes: on_device.or_else(on_host),
    })
}

/// Nobody waits longer than they said.
fn end_after(limit: Duration) {
    let start = Instant::now();
    std::thread::spawn(move || {
        while start.elapsed() < limit {
            std::thread::sleep(limit.saturating_sub(start.elapsed()));
        }
        let _ = tell(&Event::TooSlow);
        std::process::exit(0);
    });
}

fn made_up(shape: &Shape, teach: Teach) -> PaddedBatch {
    let (items, frames) = (shape.items, shape.frames);
    let labels = (frames / FRAMES_A_LABEL).max(1);
    PaddedBatch {
        inputs: vec![0.0; frames * items * shape.inputs],
        lengths: vec![frames as u32; items],
        frames,
        targets: match teach {
            Teach::Frames => Targets::Frames(vec![0; frames * items]),
            Teach::Sequences => Targets::Sequences {
                // No label follows itself, so that none needs a frame of its own between.
                labels: (0..labels * items)
                    .map(|at| (at % labels % 2) as i32)
                    .collect(),
                lengths: vec![labels as u32; items],
            },
        },
    }
}
