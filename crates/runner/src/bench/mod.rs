//! The measurements of `padwise bench epoch`: overhead of an epoch, and step times relative to their size.

pub mod epoch_overhead;
pub mod step_times;
