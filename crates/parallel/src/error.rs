//! Errors of operations over all ranks.

use std::fmt;
use std::time::Duration;

use crate::mean::MeanError;

/// An operation over all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Starting the engine.
    Start,
    /// [`World::mean`](crate::World::mean).
    Mean,
    /// [`World::sum`](crate::World::sum).
    Sum,
    /// [`World::broadcast`](crate::World::broadcast).
    Broadcast,
    /// [`World::gather`](crate::World::gather).
    Gather,
    /// [`World::finish`](crate::World::finish).
    Finish,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Start => "start",
            Self::Mean => "mean",
            Self::Sum => "sum",
            Self::Broadcast => "broadcast",
            Self::Gather => "gather",
            Self::Finish => "finish",
        })
    }
}

/// A failed operation. Its world cannot be used any more: end the process, for example with [`World::abort`](crate::World::abort).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{engine}: {operation} failed on rank {rank} after {:.1} s: {reason}", elapsed.as_secs_f64())]
#[non_exhaustive]
pub struct ParallelError {
    /// What connects the ranks, for example `MPI`.
    pub engine: &'static str,
    /// The operation that failed.
    pub operation: Operation,
    /// The rank that reports the error.
    pub rank: usize,
    /// Time since this rank began the operation.
    pub elapsed: Duration,
    /// Why it failed.
    pub reason: Reason,
}

impl ParallelError {
    /// The ranks at fault, as far as they are known.
    pub fn ranks_at_fault(&self) -> Vec<usize> {
        match &self.reason {
            Reason::Missing { ranks, .. } | Reason::Stalled { ranks, .. } => ranks.clone(),
            Reason::Lost { rank, .. }
            | Reason::Mismatch { rank, .. }
            | Reason::Mean(MeanError::Weight { rank, .. } | MeanError::Length { rank, .. }) => {
                vec![*rank]
            }
            _ => Vec::new(),
        }
    }
}

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// Ranks did not call the operation in time.
    #[error("{} did not arrive within {}; see the output of {}, or raise the deadline",
        names(ranks), seconds(*deadline), if ranks.len() == 1 { "that rank" } else { "those ranks" })]
    Missing {
        /// The ranks that did not arrive.
        ranks: Vec<usize>,
        /// How long this rank waited.
        deadline: Duration,
    },
    /// Ranks called the operation and then stopped.
    #[error("{} arrived, but transferred nothing for {}; check the network", names(ranks), seconds(*deadline))]
    Stalled {
        /// The ranks with unfinished transfers.
        ranks: Vec<usize>,
        /// How long this rank waited.
        deadline: Duration,
    },
    /// A rank ended or became unreachable.
    #[error("lost rank {rank}: {message}")]
    Lost {
        /// The lost rank.
        rank: usize,
        /// What the engine says.
        message: String,
    },
    /// Ranks called different operations, or with different lengths.
    #[error("rank {rank} called {theirs}, but this rank called {ours}")]
    Mismatch {
        /// The rank with the other call.
        rank: usize,
        /// Its call.
        theirs: String,
        /// The call of this rank.
        ours: String,
    },
    /// The weights have no mean.
    #[error(transparent)]
    Mean(#[from] MeanError),
    /// The launcher and the engine disagree about the world.
    #[error(
        "launched as rank {rank} of {size}, but the engine reports rank {found_rank} of {found_size}; \
         build padwise with the MPI library that launches it"
    )]
    World {
        /// The rank in the launcher's variables.
        rank: usize,
        /// The number of ranks in the launcher's variables.
        size: usize,
        /// The rank in the engine.
        found_rank: usize,
        /// The number of ranks in the engine.
        found_size: usize,
    },
    /// A call of the engine did not return.
    #[error("a call of the engine did not return within {}", seconds(*.0))]
    Hung(Duration),
    /// The engine reports an error.
    #[error("{0}")]
    Engine(String),
    /// An earlier operation of this world failed.
    #[error("an earlier operation failed: {0}")]
    Unusable(String),
}

fn names(ranks: &[usize]) -> String {
    let numbers: Vec<String> = ranks.iter().map(usize::to_string).collect();
    match numbers.split_last() {
        None => "no rank".to_owned(),
        Some((last, [])) => format!("rank {last}"),
        Some((last, rest)) => format!("ranks {} and {last}", rest.join(", ")),
    }
}

fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}
