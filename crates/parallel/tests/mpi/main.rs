//! Runs ranks of MPI. Every test starts `mpirun` on this program again, with the name of a rank program in a variable.
//!
//! Prints SKIPPED if there is no `mpirun`. It must belong to the library that this was built with.

mod faults;
mod operations;
mod programs;
mod start;
