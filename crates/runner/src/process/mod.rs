//! Starts worker processes, reads their events and stops them.
//!
//! Every run (one strategy with one seed) is a separate process. Its peak memory then does not depend on earlier runs, and a failing
//! device ends one run instead of the experiment.

pub mod existing_world;
mod interrupt;
pub mod mpirun;
pub mod protocol;
pub mod silence;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use tracing::debug;

pub use interrupt::Interrupt;
use protocol::{Event, Task};
use silence::SilenceWatch;

/// Number of last lines of a worker's standard error to keep, enough for a panic message.
const LAST_LINES: usize = 20;

/// How long `mpirun` may take to end after it lost a worker. It usually takes a few milliseconds.
const AFTER_LOSS: Duration = Duration::from_secs(3);

/// Time between two checks whether a process that closed its output has ended.
const BETWEEN_CHECKS: Duration = Duration::from_millis(1);

/// A worker process, or the workers of a world that this process did not start.
pub struct WorkerProcess {
    child: Option<StartedChild>,
    events: Box<dyn BufRead>,
}

/// A worker process that this process started.
struct StartedChild {
    child: Arc<Mutex<Child>>,
    /// Ends the wait of [`WorkerProcess::end_within`].
    in_time: Option<Sender<()>>,
    last_lines: std::thread::JoinHandle<VecDeque<String>>,
    /// Kills an `mpirun` that hangs.
    silence: Option<SilenceWatch>,
}

impl WorkerProcess {
    /// Starts this program as a worker with a task.
    pub fn start(task: &Task, interrupt: &Interrupt) -> Result<Self> {
        if let Task::Train(job) = task
            && job.processes().is_some()
            && let Some(world) = existing_world::ExistingWorld::of_environment()?
        {
            let (commands, events) = world.send(task)?;
            interrupt.set_worker(Some(commands));
            return Ok(WorkerProcess {
                child: None,
                events,
            });
        }
        let mut child = command(task)?
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start a worker process")?;
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            anyhow::bail!("cannot connect to the worker process");
        };
        let deadline = match task {
            Task::Train(job) => job.deadline()?,
            Task::Probe(_) => None,
        };
        let task = serde_json::to_string(task)?;
        // If writing fails, the worker has ended and its exit status gives the reason.
        let _ = writeln!(stdin, "{task}").and_then(|()| stdin.flush());
        interrupt.set_worker(Some(Box::new(stdin)));
        let child = Arc::new(Mutex::new(child));
        interrupt.set_child(&child);
        Ok(WorkerProcess {
            child: Some(StartedChild {
                child: child.clone(),
                in_time: None,
                silence: deadline.map(|deadline| SilenceWatch::start(&child, deadline)),
                last_lines: std::thread::spawn(move || read_last_lines(stderr, &child)),
            }),
            events: Box::new(BufReader::new(stdout)),
        })
    }

    /// Waits for the next event; none once the worker has ended.
    pub fn next_event(&mut self) -> Option<Event> {
        loop {
            let silence = self.child.as_ref().and_then(|child| child.silence.as_ref());
            if let Some(silence) = silence {
                silence.begin();
            }
            let event = read_event(&mut self.events);
            if let Some(silence) = silence {
                silence.end(event.is_some());
            }
            if !matches!(event, Some(Event::Alive)) {
                return event;
            }
        }
    }

    /// Kills the worker.
    pub fn kill(&mut self) {
        if let Some(StartedChild { child, .. }) = &mut self.child {
            let mut child = lock(child);
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Kills the worker if it has not ended after `limit`. Its results are complete, so nothing is lost.
    pub fn end_within(&mut self, limit: Duration) {
        if let Some(started) = &mut self.child {
            started.in_time = Some(kill_after(&started.child, limit));
        }
    }

    /// Waits for the worker to end; returns the reason if it failed.
    pub fn wait(self, failure: Option<String>, interrupted: bool) -> Result<Option<String>> {
        let Some(StartedChild {
            child,
            in_time,
            last_lines,
            silence,
        }) = self.child
        else {
            return Ok(failure);
        };
        let status = loop {
            // Not blocking: another thread may have to kill it.
            if let Some(status) = lock(&child).try_wait()? {
                break status;
            }
            std::thread::sleep(BETWEEN_CHECKS);
        };
        drop(in_time);
        let last_lines = last_lines.join().unwrap_or_default();
        if failure.is_some() || status.success() || interrupted {
            return Ok(failure);
        }
        if let Some(reason) = silence.and_then(|silence| silence.reason()) {
            return Ok(Some(reason));
        }
        let lines: Vec<String> = last_lines.into();
        if let Some(reason) = mpirun::lost_worker(&lines) {
            return Ok(Some(reason));
        }
        let output = if lines.is_empty() {
            String::new()
        } else {
            format!(": {}", lines.join(" / "))
        };
        Ok(Some(format!(
            "the worker process ended with {status}{output}"
        )))
    }
}

/// Reads lines until one is an event; none at the end.
fn read_event(lines: &mut dyn BufRead) -> Option<Event> {
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match serde_json::from_str(&line) {
            Ok(event) => return Some(event),
            Err(_) => debug!(line = line.trim_end(), "worker output"),
        }
    }
}

/// Kills a process after a time, unless the result is dropped before.
fn kill_after(child: &Arc<Mutex<Child>>, limit: Duration) -> Sender<()> {
    let child = child.clone();
    let (in_time, end) = mpsc::channel();
    std::thread::spawn(move || {
        if end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            let _ = lock(&child).kill();
        }
    });
    in_time
}

fn lock(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The command that starts a worker, or all workers of a run that are MPI processes.
fn command(task: &Task) -> Result<Command> {
    let program = own_program()?;
    if let Task::Train(job) = task
        && let Some((workers, parallel)) = job.processes()
    {
        let choice = job.config.train.backend;
        return Ok(mpirun::command(&program, workers, parallel, choice)?);
    }
    let mut command = Command::new(program);
    command.arg("worker");
    Ok(command)
}

/// The path of this program. If its file was replaced by a new build, `/proc` still has the running one.
pub fn own_program() -> Result<PathBuf> {
    let file = std::env::current_exe().context("cannot find the padwise executable")?;
    let running = Path::new("/proc/self/exe");
    Ok(if !file.exists() && running.exists() {
        running.into()
    } else {
        file
    })
}

/// Logs a worker's standard error; returns its last lines without backtraces. Kills an `mpirun` that hangs after it lost a worker.
fn read_last_lines(stderr: impl Read, child: &Arc<Mutex<Child>>) -> VecDeque<String> {
    let mut lines = VecDeque::new();
    let mut in_time = None;
    let mut in_backtrace = false;
    for line in BufReader::new(stderr).lines().map_while(|line| line.ok()) {
        debug!(line, "worker output");
        if in_time.is_none() && mpirun::reports_loss(&line) {
            in_time = Some(kill_after(child, AFTER_LOSS));
        }
        in_backtrace |= line.trim() == "stack backtrace:";
        if in_backtrace || line.starts_with("note: run with `RUST_BACKTRACE") {
            continue;
        }
        if lines.len() == LAST_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
    lines
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn an_mpirun_that_hangs_after_it_lost_a_worker_is_killed() {
        let line =
            "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).";
        let mut child = Command::new("sh")
            .args(["-c", "echo \"$1\" >&2; exec sleep 100", "sh", line])
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        let stderr = child.stderr.take().expect("its output");
        let start = Instant::now();
        let child = Arc::new(Mutex::new(child));
        assert_eq!(read_last_lines(stderr, &child), [line]);
        assert!(start.elapsed() >= AFTER_LOSS);
        assert!(start.elapsed() < AFTER_LOSS + Duration::from_secs(60));
        let status = lock(&child).wait().expect("a status");
        assert!(!status.success(), "{status}");
    }
}
