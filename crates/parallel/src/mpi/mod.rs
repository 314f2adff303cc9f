//! A world of processes that MPI connects.
//!
//! A thread makes all MPI calls and owns all buffers that MPI uses. So an operation can return at its deadline although MPI still
//! uses a buffer: the thread then keeps it until the process ends.

mod connection;
mod engine;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crate::error::{Operation, ParallelError, Reason};
use crate::launch::Launch;
use crate::world::World;

/// The name in errors.
const NAME: &str = "MPI";

/// How much longer to wait for the thread than it waits for other ranks.
const GRACE: Duration = Duration::from_secs(5);

/// How long MPI may take to end the other ranks.
const ABORT_TIME: Duration = Duration::from_secs(5);

/// What an operation takes and returns. The memory is used again by the next operation.
#[derive(Default)]
struct Buffers {
    floats: Vec<f32>,
    doubles: Vec<f64>,
    bytes: Vec<u8>,
    gathered: Vec<Vec<u8>>,
}

/// A message to the thread.
enum Command {
    Run {
        operation: Operation,
        weight: f64,
        buffers: Buffers,
    },
    Abort(i32),
}

/// The world of all processes that one `mpirun` or `srun` started.
///
/// The memory of a mean is one copy of the vector and 32 MB.
#[derive(Debug)]
pub struct Mpi {
    rank: usize,
    size: usize,
    deadline: Duration,
    commands: Sender<Command>,
    replies: Receiver<Result<Buffers, ParallelError>>,
    /// Rises while the thread waits for other ranks.
    polls: Arc<AtomicU64>,
    buffers: Buffers,
    /// The error of an earlier operation.
    failed: Option<String>,
}

impl Mpi {
    /// How long a rank waits for the others unless you pass another deadline.
    pub const DEADLINE: Duration = Duration::from_secs(60);

    /// Starts MPI. Call this once per process.
    ///
    /// `deadline` limits how long an operation waits for other ranks without progress. It must be longer than the difference between
    /// the fastest and the slowest rank.
    ///
    /// # Errors
    ///
    /// Fails if MPI does not start before the deadline, or has another rank or size than the launcher.
    pub fn start(launch: &Launch, deadline: Duration) -> Result<Self, ParallelError> {
        let began = Instant::now();
        let (commands, received) = mpsc::channel();
        let (reply, replies) = mpsc::channel();
        let (ready, started) = mpsc::channel();
        let polls = Arc::new(AtomicU64::new(0));
        let fail = |reason| ParallelError {
            engine: NAME,
            operation: Operation::Start,
            rank: launch.rank,
            elapsed: began.elapsed(),
            reason,
        };
        let counter = polls.clone();
        std::thread::Builder::new()
            .name("MPI".to_owned())
            .spawn(move || engine::run(deadline, received, reply, counter, &ready))
            .map_err(|error| fail(Reason::Engine(format!("cannot start a thread: {error}"))))?;
        let (rank, size) = match started.recv_timeout(deadline) {
            Ok(Ok(world)) => world,
            Ok(Err(message)) => return Err(fail(Reason::Engine(message))),
            Err(RecvTimeoutError::Timeout) => return Err(fail(Reason::Hung(deadline))),
            Err(RecvTimeoutError::Disconnected) => return Err(fail(thread_ended())),
        };
        if (rank, size) != (launch.rank, launch.size) {
            return Err(fail(Reason::World {
                rank: launch.rank,
                size: launch.size,
                found_rank: rank,
                found_size: size,
            }));
        }
        Ok(Self {
            rank,
            size,
            deadline,
            commands,
            replies,
            polls,
            buffers: Buffers::default(),
            failed: None,
        })
    }

    /// Runs an operation on the buffers.
    fn run(&mut self, operation: Operation, weight: f64) -> Result<(), ParallelError> {
        let began = Instant::now();
        let reply = match self.failed.take() {
            Some(earlier) => Err(Reason::Unusable(earlier)),
            None => {
                let buffers = std::mem::take(&mut self.buffers);
                // If the thread has ended, there is no reply either.
                let _ = self.commands.send(Command::Run {
                    operation,
                    weight,
                    buffers,
                });
                self.wait()
            }
        };
        let error = match reply {
            Ok(Ok(buffers)) => {
                self.buffers = buffers;
                return Ok(());
            }
            Ok(Err(error)) => error,
            Err(reason) => ParallelError {
                engine: NAME,
                operation,
                rank: self.rank,
                elapsed: began.elapsed(),
                reason,
            },
        };
        self.failed = Some(match &error.reason {
            Reason::Unusable(earlier) => earlier.clone(),
            _ => error.to_string(),
        });
        Err(error)
    }

    /// Waits for the thread, which watches the deadline itself. But a call of MPI may block it.
    fn wait(&self) -> Result<Result<Buffers, ParallelError>, Reason> {
        let limit = self.deadline + GRACE;
        loop {
            let polls = self.polls.load(Ordering::Relaxed);
            match self.replies.recv_timeout(limit) {
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => return Err(thread_ended()),
                Err(RecvTimeoutError::Timeout) => {
                    if self.polls.load(Ordering::Relaxed) == polls {
                        return Err(Reason::Hung(limit));
                    }
                }
            }
        }
    }
}

fn thread_ended() -> Reason {
    Reason::Engine("the thread that calls MPI has ended".to_owned())
}

impl std::fmt::Debug for Buffers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Buffers")
    }
}

impl World for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn mean(&mut self, values: &mut [f32], weight: f64) -> Result<(), ParallelError> {
        self.buffers.floats.clear();
        self.buffers.floats.extend_from_slice(values);
        self.run(Operation::Mean, weight)?;
        values.copy_from_slice(&self.buffers.floats);
        Ok(())
    }

    fn sum(&mut self, values: &mut [f64]) -> Result<(), ParallelError> {
        self.buffers.doubles.clear();
        self.buffers.doubles.extend_from_slice(values);
        self.run(Operation::Sum, 0.0)?;
        values.copy_from_slice(&self.buffers.doubles);
        Ok(())
    }

    fn broadcast(&mut self, bytes: &mut Vec<u8>) -> Result<(), ParallelError> {
        self.buffers.bytes = std::mem::take(bytes);
        self.run(Operation::Broadcast, 0.0)?;
        *bytes = std::mem::take(&mut self.buffers.bytes);
        Ok(())
    }

    fn gather(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, ParallelError> {
        self.buffers.bytes = bytes.to_vec();
        self.run(Operation::Gather, 0.0)?;
        Ok(std::mem::take(&mut self.buffers.gathered))
    }

    fn finish(mut self: Box<Self>) -> Result<(), ParallelError> {
        self.run(Operation::Finish, 0.0)
    }

    fn abort(&mut self, code: i32) -> ! {
        if self.commands.send(Command::Abort(code)).is_ok() {
            // MPI ends this process during the wait, unless it hangs.
            std::thread::sleep(ABORT_TIME);
        }
        std::process::exit(code)
    }
}
