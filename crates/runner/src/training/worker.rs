//! A worker: the process that trains one run, or tries one step. It reads its task from standard input and tells what happens on
//! standard output.
//!
//! It ends with the batch when it is told to stop, and at once when standard input ends: then whoever started it is gone, and
//! nobody would write down what it finds.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

use super::protocol::{Event, STOP, Task};
use super::{probe, run};

/// Reads a task and does it. What goes wrong is told to the coordinator, too.
pub fn main() -> Result<()> {
    // The terminal tells every process of a Ctrl-C; only the coordinator answers.
    let _ = ctrlc::set_handler(|| {});
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let task: Task = serde_json::from_str(&line).context("this is a part of `padwise run`")?;
    let stop = watch_standard_input();
    let ended = match &task {
        Task::Train(job) => run::work(job, &stop),
        Task::Probe(shape) => probe::try_step(shape),
    };
    if let Err(error) = &ended {
        tell(&Event::Failed {
            message: format!("{error:#}"),
        })?;
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

/// Tells the coordinator.
pub(super) fn tell(event: &Event) -> Result<()> {
    let line = serde_json::to_string(event)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
