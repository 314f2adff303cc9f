//! What is kept of an experiment: plain files that survive a crash, and tables that are made from them again.

mod environment;
mod folder;
mod interval;
mod row;
mod summary;

pub use environment::{Computes, Environment};
pub use folder::{Folder, RecordError, read_rows};
pub use interval::Interval;
pub use row::{EpochRow, Status};
pub use summary::{Measured, Summary, SummaryRow};
