//! The files of a results folder, and the metrics computed from them.
//!
//! `epochs.csv` has one line per epoch of each run ([`EpochRow`]), and the [`ExperimentConfig`] says which runs were planned. A
//! [`Run`] has the epochs of one seed, a [`Metric`] is a number computed from them, and a [`Summary`] has every metric of every
//! strategy. [`WordsRecord`] are the word errors of every run on the test set, and [`WorkerTimes`] the times of parallel workers.

mod baseline;
mod check_values;
mod corpus_files;
mod environment;
mod error;
mod file;
mod metric;
mod numbers;
mod objects;
mod progress;
mod read;
mod row;
mod run;
mod sequence;
mod summary;
mod table;
mod words;
mod workers;

pub use corpus_files::CorpusFile;
pub use environment::{Computes, Environment};
pub use error::ReadError;
pub(crate) use file::{MAX_TABLE_BYTES, bytes_of, text_of};
pub use metric::{Definition, Metric, Reference};
pub use objects::objects_as_csv;
pub use padwise_experiment_config::{ExperimentConfig, PaperColumn, Row};
pub use progress::{BestEpoch, RunProgress, RunStatus, rows_of};
pub(crate) use read::without_place;
pub use read::{Recorded, read_rows};
pub use row::{EpochRow, Status};
pub use run::Run;
pub use sequence::{check_rows, check_sequence};
pub(crate) use summary::resampled;
pub use summary::{Summary, SummaryRow};
pub use table::rows_as_csv;
pub use words::{
    DecodingRecord, TestSet, TestUtterance, TunedScale, UsedFile, WordsRecord, WordsRow, read_words,
};
pub use workers::{WorkerTimes, WorkersRow, read_workers, time_is_predicted};
