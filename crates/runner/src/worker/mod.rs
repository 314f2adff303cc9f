//! The worker process: trains one run or probes one step.
//!
//! It reads its task from standard input and reports events on standard output. On a stop request it finishes the current batch. When
//! standard input closes it exits at once, because the coordinator is gone and cannot record results.

mod best_epoch;
mod divergence;
pub mod epoch;
mod folder_lock;
mod mpi_process;
mod parallel;
mod probe;
mod run;
mod sequence_errors;
mod step_reporter;
mod tally;
mod validation;
mod warm_up;

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};

pub use divergence::DivergenceDetector;
pub use parallel::{Portion, Team, train as train_in_team};

use crate::process::protocol::{Event, STOP, Task};

/// Reads a task and carries it out. Reports an error to the coordinator as well.
///
/// With a deadline in seconds, this is one of several MPI processes, and the task is that of rank 0.
pub fn main(mpi_deadline: Option<f64>) -> Result<()> {
    padwise_parallel::watch_parent()?;
    // The terminal sends Ctrl-C to every process; only the coordinator handles it.
    let _ = ctrlc::set_handler(|| {});
    if let Some(seconds) = mpi_deadline {
        return mpi_process::main(Duration::try_from_secs_f64(seconds)?);
    }
    let task = read_task()?;
    let stop = watch_standard_input();
    let ended = match &task {
        Task::Train(job) => match job.workers() {
            None => run::train(job, &stop),
            Some(workers) => {
                let mut team = Team::in_turns(workers as usize);
                parallel::train(job, &stop, &mut team).map(|_| ())
            }
        },
        Task::Probe(shape) => probe::try_step(shape),
    };
    if let Err(error) = &ended {
        report(error)?;
    }
    ended
}

/// Reads the task from standard input.
fn read_task() -> Result<Task> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    serde_json::from_str(&line)
        .context("no task on standard input: `padwise run` starts this command")
}

/// Tells the coordinator why the task failed.
fn report(error: &anyhow::Error) -> Result<()> {
    Event::Failed {
        message: format!("{error:#}"),
    }
    .send()
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
