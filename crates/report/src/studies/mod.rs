//! Tables that hold rows of a record, or several records, beside each other in ways that a report does not: those that
//! `docs/findings.md` and other documents show.
//!
//! A study is made from the records below a folder (`results/`), by name ([`STUDIES`]). Which records and strategies it is about
//! stands at the top of its file.

mod batches;
mod cost;
mod learning;
mod peer;
mod records;
mod repeats;
mod step;

use std::path::Path;

use crate::record::ReadError;
use crate::tables::TextTable;

pub use peer::peer;
pub use step::{step_parts, step_times};

/// Makes a table from the records below a folder.
pub type Study = fn(&Path) -> Result<TextTable, ReadError>;

/// Every study, by name.
pub const STUDIES: [(&str, Study); 12] = [
    ("shuffled-batches", learning::shuffled_batches),
    ("steps", learning::steps),
    ("errors", learning::errors),
    ("by-time", learning::by_time),
    ("last-utterances", learning::last_utterances),
    ("rates", learning::rates),
    ("lengths", batches::lengths),
    ("paper-batches", batches::paper_batches),
    ("repeated-runs", repeats::repeated_runs),
    ("buckets", cost::buckets),
    ("bucket-cost", cost::bucket_cost),
    ("step-cost", cost::step_cost),
];
