//! What is kept of an experiment: the shape of its files, and what they say together.
//!
//! `epochs.csv` is the record, a line for each epoch of each run ([`EpochRow`]); an [`ExperimentConfig`] says what
//! was meant to be run; a [`Run`] is the epochs of one seed, a [`Metric`] what is told of them, and a [`Summary`] every metric of every strategy.

mod environment;
mod error;
mod metric;
mod objects;
mod read;
mod row;
mod run;
mod summary;

pub use environment::{Computes, Environment};
pub use error::ReadError;
pub use metric::{Definition, Metric, Reference};
pub use objects::objects_as_csv;
pub use padwise_experiment_config::{ExperimentConfig, PaperColumn, Row};
pub use read::{Recorded, read_rows};
pub use row::{EpochRow, Status};
pub use run::{Run, RunProgress, RunStatus, rows_of};
pub use summary::{Summary, SummaryRow};
