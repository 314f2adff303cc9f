//! A worker process, seen from whoever starts it: starting it, hearing it, asking it to end.
//!
//! Every run, one strategy with one seed, is a process: its peak of memory is then its own, whatever ran before it, and a
//! device that fails takes one run with it and not the experiment.

pub mod protocol;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use tracing::debug;

use protocol::{Event, STOP, Task};

/// Lines of a worker's standard error that are kept: a panic's message is among the last.
const LAST_LINES: usize = 20;

/// A request to end, which finds its way to the worker.
#[derive(Clone, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    worker: Arc<Mutex<Option<ChildStdin>>>,
}

impl Interrupt {
    /// Asks the experiment to end with the batch that is being trained; says whether it had been asked before.
    pub fn ask(&self) -> bool {
        let before = self.asked.swap(true, Ordering::SeqCst);
        self.pass_on();
        before
    }

    /// Whether somebody asked.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// The worker to pass the request on to.
    pub fn set_worker(&self, stdin: Option<ChildStdin>) {
        *self.worker.lock().unwrap_or_else(PoisonError::into_inner) = stdin;
        if self.asked() {
            self.pass_on();
        }
    }

    fn pass_on(&self) {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stdin) = worker.as_mut() {
            // A worker that is gone needs no telling.
            let _ = writeln!(stdin, "{STOP}").and_then(|()| stdin.flush());
        }
    }
}

/// A worker process.
pub struct WorkerProcess {
    child: Child,
    events: BufReader<std::process::ChildStdout>,
    last_lines: std::thread::JoinHandle<VecDeque<String>>,
}

impl WorkerProcess {
    /// Starts this program again as a worker and hands it a task.
    pub fn start(task: &Task, interrupt: &Interrupt) -> Result<Self> {
        let program = own_program()?;
        let mut child = Command::new(program)
            .arg("worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start a process to train in")?;
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            anyhow::bail!("cannot talk to the process that trains");
        };
        let task = serde_json::to_string(task)?;
        // A worker that cannot even read its task says why when it ends.
        let _ = writeln!(stdin, "{task}").and_then(|()| stdin.flush());
        interrupt.set_worker(Some(stdin));
        Ok(WorkerProcess {
            child,
            events: BufReader::new(stdout),
            last_lines: std::thread::spawn(move || read_last_lines(stderr)),
        })
    }

    /// The next event; none when the worker has ended.
    pub fn next_event(&mut self) -> Option<Event> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.events.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match serde_json::from_str(&line) {
                Ok(event) => return Some(event),
                Err(_) => debug!(line = line.trim_end(), "worker says"),
            }
        }
    }

    /// Kills it.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for its end; why it failed, if it did.
    pub fn wait(mut self, failure: Option<String>, interrupted: bool) -> Result<Option<String>> {
        let status = self.child.wait()?;
        let last_lines = self.last_lines.join().unwrap_or_default();
        if failure.is_some() || status.success() || interrupted {
            return Ok(failure);
        }
        let lines: Vec<String> = last_lines.into();
        let said = if lines.is_empty() {
            String::new()
        } else {
            format!(": {}", lines.join(" / "))
        };
        Ok(Some(format!(
            "the process that trained it ended with {status}{said}"
        )))
    }
}

/// The file of this program. Where another was built in its place since, the system still has the one that is running.
fn own_program() -> Result<PathBuf> {
    let file = std::env::current_exe().context("cannot find this program's own file")?;
    let running = Path::new("/proc/self/exe");
    Ok(if !file.exists() && running.exists() {
        running.into()
    } else {
        file
    })
}

/// The last lines before a backtrace, where there is one. All of it goes into the log.
fn read_last_lines(stderr: impl Read) -> VecDeque<String> {
    let mut lines = VecDeque::new();
    let mut in_backtrace = false;
    for line in BufReader::new(stderr).lines().map_while(|line| line.ok()) {
        debug!(line, "worker says");
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
