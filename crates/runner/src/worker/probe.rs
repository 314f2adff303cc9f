//! Runs two training steps on a batch of a given shape and measures their memory and the time of the second.
//!
//! Both depend on the shape only, so the batch is synthetic and no corpus is read. The first step compiles kernels, and it creates
//! the optimiser's moving averages, which the second step has in memory from its start.

use std::time::{Duration, Instant};

use anyhow::Result;
use padwise_model::benchmark::{FRAMES_PER_LABEL, synthetic_batch};
use padwise_model::{PaddedBatch, Padding, backend};

use crate::machine::host;
use crate::process::protocol::{Event, StepShape};

/// Runs two steps. Exits the process if they exceed the time limit.
pub(super) fn try_step(shape: &StepShape) -> Result<()> {
    end_after(Duration::try_from_secs_f64(shape.seconds)?);
    let config = &shape.config;
    let trainer = config.trainer(shape.inputs, shape.classes, 0);
    let model = trainer.model.clone();
    let batch = || {
        let lengths = lengths(shape);
        let frames_per_label = shape.frames_per_label.unwrap_or(FRAMES_PER_LABEL);
        let objective = config.train.objective;
        synthetic_batch(lengths, shape.frames, &model, objective, frames_per_label)
    };
    let first = batch();
    let base = host::resident_bytes();
    let mut trainer = backend::trainer(config.train.backend, trainer)?;
    trainer.watch_memory(true);
    host::reset_peak();
    let mut step = |batch: PaddedBatch, is_timed: bool| {
        let start = Instant::now();
        trainer.step(batch)?;
        trainer.take_losses()?;
        trainer.synchronise()?;
        let seconds = start.elapsed().as_secs_f64();
        let on_host = || Some(host::peak_bytes()?.saturating_sub(base?));
        let on_device = trainer.memory().and_then(|memory| memory.peak);
        Event::Probed {
            bytes: on_device.or_else(on_host),
            seconds: is_timed.then_some(seconds),
        }
        .send()
    };
    step(first, false)?;
    step(batch(), true)
}

/// The lengths of the items: all as long as the batch, or as long as to store the given number of frames if it is packed.
fn lengths(shape: &StepShape) -> Vec<u32> {
    let mut lengths = vec![shape.frames as u32; shape.items];
    if shape.config.model.padding == Padding::Packed && shape.items > 1 {
        let others = shape.items - 1;
        // Every item is stored with one more row.
        let valid = shape.stored_frames.saturating_sub(shape.items as u64);
        let rest = valid.saturating_sub(shape.frames as u64) / others as u64;
        lengths[1..].fill((rest as u32).clamp(1, shape.frames as u32));
    }
    lengths
}

/// Exits the process after the time limit.
fn end_after(limit: Duration) {
    let start = Instant::now();
    std::thread::spawn(move || {
        while start.elapsed() < limit {
            std::thread::sleep(limit.saturating_sub(start.elapsed()));
        }
        let _ = Event::TooSlow.send();
        std::process::exit(0);
    });
}
