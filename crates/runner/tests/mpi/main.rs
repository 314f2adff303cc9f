//! Runs whose workers are MPI processes: results, failures and resuming.
//!
//! Prints SKIPPED if there is no `mpirun`. It must belong to the library that this was built with.
#![cfg(target_os = "linux")]

#[path = "../it/common.rs"]
mod common;

mod failures;
mod processes;
mod results;
mod runs;
