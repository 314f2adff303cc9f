//! The worker process: trains one run, or tries one step. It reads its task from standard input and reports events on
//! standard output.
//!
//! It ends with the batch when it is told to stop, and at once when standard input ends: then whoever started it is gone, and
//! nobody would write down what it finds.

mod divergence;
pub mod epoch;
pub mod epoch_progress;
mod probe;
mod run;
mod sequence_errors;
mod tally;
mod validation;
mod warm_up;

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

pub use divergence::DivergenceDetector;

use crate::process::protocol::{Event, STOP, Task};

/// Reads a task and does it. What goes wrong is reported to the coordinator, too.
pub fn main() -> Result<()> {
    // The terminal tells every process of a Ctrl-C; only the coordinator answers.
    let _ = ctrlc::set_handler(|| {});
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let task: Task = serde_json::from_str(&line).context("this is a part of `padwise run`")?;
    let stop = watch_standard_input();
    let ended = match &task {
        Task::Train(job) => run::train(job, &stop),
        Task::Probe(shape) => probe::try_step(shape),
    };
    if let Err(error) = &ended {
        Event::Failed {
            message: format!("{error:#}"),
        }
        .send()?;
    }
    ended
}

fn watch_standard_input() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if line.is_ok_and(|line| line.trim() == STOP) {
                flag.store(true, Ordering::Relaxed);
            }
        }
        std::process::exit(3);
    });
    stop
}
