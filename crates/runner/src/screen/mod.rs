//! What a person sees of an experiment: progress while it runs, a log, a table at the end.

pub mod log;
mod progress;
pub mod table;

pub use progress::Progress;
