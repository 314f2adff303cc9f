//! Training and measuring.
//!
//! Every run, one strategy with one seed, is a process of its own ([`worker`]): its peak of memory is then its own, whatever
//! ran before it, and a device that fails takes one run with it and not the experiment. The process that a person starts
//! ([`coordinator`]) hands out the runs, writes what they tell ([`protocol`]) into the results, and never touches the device.

pub mod coordinator;
mod divergence;
mod epoch;
pub mod estimate;
pub mod host;
pub mod nvidia;
pub mod overhead;
pub mod probe;
mod process;
pub mod protocol;
mod run;
mod sequence_errors;
pub mod step_times;
mod tally;
mod unfinished;
pub(crate) mod validation;
mod warm_up;
pub mod worker;

pub use coordinator::Outcome;
pub use probe::Probed;
pub use process::Interrupt;
