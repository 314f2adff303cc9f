//! Commands from the caller, and messages between this rank and others, with a deadline.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use ferrompi::{Communicator, MpiDatatype, Request, Scope};

use super::{Buffers, Command, NAME};
use crate::error::{Operation, ParallelError, Reason};

/// How long to poll without sleeping. Most transfers end before.
const SPIN: Duration = Duration::from_millis(50);

/// How long to sleep between later polls.
const SLEEP: Duration = Duration::from_micros(200);

/// What a message is for. Messages of one kind between two ranks keep their order.
#[derive(Clone, Copy)]
pub enum Tag {
    /// A rank has called an operation.
    Arrival = 1,
    /// Values or bytes of an operation.
    Data = 2,
}

/// What the thread needs to talk to its caller and to other ranks.
pub struct Connection {
    pub world: Communicator,
    pub rank: usize,
    pub size: usize,
    pub deadline: Duration,
    pub commands: Receiver<Command>,
    pub replies: Sender<Result<Buffers, ParallelError>>,
    pub polls: Arc<AtomicU64>,
    /// The current operation.
    pub operation: Operation,
    pub began: Instant,
}

impl Connection {
    /// Waits for an operation. Never returns if the world was dropped: ending MPI could block, and would hide from the launcher that
    /// this rank stopped early.
    pub fn next_command(&self) -> (Operation, f64, Buffers) {
        match self.commands.recv() {
            Ok(Command::Run {
                operation,
                weight,
                buffers,
            }) => (operation, weight, buffers),
            Ok(Command::Abort(code)) => self.world.abort(code),
            Err(_) => loop {
                std::thread::park();
            },
        }
    }

    /// Reports an error. Never returns, because MPI may still use the buffers of the calling functions.
    pub fn fail(&self, reason: Reason) -> ! {
        let _ = self.replies.send(Err(ParallelError {
            engine: NAME,
            operation: self.operation,
            rank: self.rank,
            elapsed: self.began.elapsed(),
            reason,
        }));
        loop {
            self.next_command();
        }
    }

    /// All ranks but this one.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.rank;
        (0..self.size).filter(move |&rank| rank != own)
    }

    /// Pairs one buffer per rank with its rank, and leaves out that of this rank.
    pub fn of_others<'a, T: 'a>(
        &self,
        buffers: impl Iterator<Item = &'a mut [T]>,
    ) -> Vec<(usize, &'a mut [T])> {
        let buffers = buffers.enumerate();
        buffers.filter(|(rank, _)| *rank != self.rank).collect()
    }

    /// Sends and receives one message per listed rank. Both sides must agree on the lengths; empty messages are left out.
    pub fn exchange<T: MpiDatatype>(
        &self,
        tag: Tag,
        sends: &[(usize, &[T])],
        receives: Vec<(usize, &mut [T])>,
    ) {
        let done = ferrompi::scope(|scope: &Scope<'_, '_>| {
            let mut pending = Vec::new();
            for (rank, buffer) in receives.into_iter().filter(|(_, b)| !b.is_empty()) {
                match self.world.irecv(scope, buffer, rank as i32, tag as i32) {
                    Ok(request) => pending.push((rank, request)),
                    Err(error) => self.lost(rank, &error),
                }
            }
            for &(rank, buffer) in sends.iter().filter(|(_, b)| !b.is_empty()) {
                match self.world.isend(scope, buffer, rank as i32, tag as i32) {
                    Ok(request) => pending.push((rank, request)),
                    Err(error) => self.lost(rank, &error),
                }
            }
            self.complete(tag, pending);
            Ok(())
        });
        if let Err(error) = done {
            self.fail(Reason::Engine(error.to_string()));
        }
    }

    /// Waits until all requests are complete.
    fn complete(&self, tag: Tag, mut pending: Vec<(usize, Request<'_>)>) {
        let deadline = self.deadline;
        let began = Instant::now();
        loop {
            pending.retain_mut(|(rank, request)| match request.test() {
                Ok(status) => status.is_none(),
                Err(error) => self.lost(*rank, &error),
            });
            if pending.is_empty() {
                return;
            }
            let waited = began.elapsed();
            if waited > deadline {
                let mut ranks: Vec<usize> = pending.iter().map(|(rank, _)| *rank).collect();
                ranks.sort_unstable();
                ranks.dedup();
                self.fail(match tag {
                    Tag::Arrival => Reason::Missing { ranks, deadline },
                    Tag::Data => Reason::Stalled { ranks, deadline },
                });
            }
            self.polls.fetch_add(1, Ordering::Relaxed);
            if waited < SPIN {
                std::thread::yield_now();
            } else {
                std::thread::sleep(SLEEP);
            }
        }
    }

    fn lost(&self, rank: usize, error: &ferrompi::Error) -> ! {
        let message = error.to_string();
        self.fail(Reason::Lost { rank, message })
    }
}
