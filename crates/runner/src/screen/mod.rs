//! What a person sees of an experiment: progress while it runs, a log, a table at the end.

pub mod log;
mod progress;

pub use progress::Progress;
