//! What is kept of an experiment: plain files that survive a crash, and tables that are made from them again.

mod environment;
mod error;
mod folder;
mod interval;
mod measured;
mod row;
mod summary;

pub use environment::{Computes, Environment};
pub use error::RecordError;
pub use folder::{Folder, read_rows};
pub use interval::Interval;
pub use measured::Measured;
pub use row::{EpochRow, Status};
pub use summary::{Summary, SummaryRow};
