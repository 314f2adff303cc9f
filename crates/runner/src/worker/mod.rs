//! The worker process: trains one run or probes one step.
//!
//! It reads its task from standard input and reports events on standard output. On a stop request it finishes the current batch. When
//! standard input closes it exits at once, because the coordinator is gone and cannot record results.

mod divergence;
pub mod epoch;
mod folder_lock;
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

/// Reads a task and carries it out. Reports an error to the coordinator as well.
pub fn main() -> Result<()> {
    end_with_coordinator();
    // The terminal sends Ctrl-C to every process; only the coordinator handles it.
    let _ = ctrlc::set_handler(|| {});
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let task: Task = serde_json::from_str(&line)
        .context("no task on standard input: `padwise run` starts this command")?;
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

/// Asks the system to kill this process when the coordinator ends. Closed standard input ends it as well, except while it is stopped
/// by a signal.
fn end_with_coordinator() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
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
