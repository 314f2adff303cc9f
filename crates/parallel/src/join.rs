//! Joins the world that a launcher started, if this build can.

use std::time::Duration;

use crate::{Launch, ParallelError, World};

/// Whether this build can join an MPI world.
pub const HAS_MPI: bool = cfg!(feature = "mpi");

/// Joins the MPI world of this process. `deadline` is that of each operation.
///
/// # Errors
///
/// Fails if this build has no MPI, or as [`Mpi::start`](crate::Mpi::start) does.
#[cfg(feature = "mpi")]
pub fn join(launch: &Launch, deadline: Duration) -> Result<Box<dyn World>, ParallelError> {
    Ok(Box::new(crate::Mpi::start(launch, deadline)?))
}

/// Joins the MPI world of this process. `deadline` is that of each operation.
///
/// # Errors
///
/// Fails because this build has no MPI.
#[cfg(not(feature = "mpi"))]
pub fn join(launch: &Launch, _: Duration) -> Result<Box<dyn World>, ParallelError> {
    Err(ParallelError {
        engine: "MPI",
        operation: crate::Operation::Start,
        rank: launch.rank,
        elapsed: Duration::ZERO,
        reason: crate::Reason::Engine("build with the feature mpi".to_owned()),
    })
}
