//! Tests that need no MPI.

mod alone;
mod errors;
mod launch;
mod mean;
