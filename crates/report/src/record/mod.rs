//! What is kept of an experiment: the shape of its files, and what they say together.
//!
//! `epochs.csv` is the record, a line for each epoch of each run ([`EpochRow`]); an [`Outline`] is what the config beside it
//! says of how to read it; a [`Summary`] is what both say together, and [`table`] is how it is shown.

pub(crate) mod columns;
mod environment;
mod error;
mod interval;
mod measured;
mod objects;
mod outline;
mod paper;
mod read;
mod row;
mod run;
mod summary;
pub mod table;

pub use environment::{Computes, Environment};
pub use error::ReadError;
pub use interval::Interval;
pub use measured::Measured;
pub use objects::objects_as_csv;
pub use outline::{Outline, Row};
pub use paper::PaperColumn;
pub use read::{Recorded, read_rows};
pub use row::{EpochRow, Status};
pub use run::{Run, Standing};
pub use summary::{Summary, SummaryRow};
