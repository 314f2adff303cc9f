//! What is kept of an experiment: plain files that survive a crash, and tables that are made from them again.
//!
//! What the files look like is `padwise-report`'s business, which reads them; writing them, and seeing that nobody else does, is ours.

mod error;
mod folder;
mod machine;

pub use error::RecordError;
pub use folder::Folder;
pub use machine::environment;
pub use padwise_report::record::{
    Computes, Environment, EpochRow, Metric, Status, Summary, SummaryRow, read_rows,
};
pub use padwise_report::statistics::ConfidenceInterval;
