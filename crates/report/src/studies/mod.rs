//! Studies: tables that compare strategies within or across results folders in ways that a report does not.
//!
//! They are the tables of `docs/findings.md` and other documents. A study reads results folders below one folder (`results/`), and
//! [`STUDIES`] lists all by name. The constants at the top of each file name its results folders and strategies.

mod batches;
mod convergence;
mod cost;
mod learning;
mod peer;
mod records;
mod repeats;
mod step;
mod strategies;

use std::path::Path;

use crate::record::ReadError;
use crate::tables::TextTable;

pub use peer::{peer, peer_by_epoch, peer_losses};
pub use step::{step_parts, step_times};

/// Builds a table from the results folders below a folder.
pub type Study = fn(&Path) -> Result<TextTable, ReadError>;

/// All studies by name.
pub const STUDIES: [(&str, Study); 22] = [
    ("shuffled-batches", learning::shuffled_batches),
    ("steps", learning::steps),
    ("errors", learning::errors),
    ("by-time", learning::by_time),
    ("last-utterances", learning::last_utterances),
    ("rates", learning::rates),
    ("pilot", convergence::pilot),
    ("learning-rates", convergence::learning_rates),
    ("strategies", strategies::strategies),
    ("costs", strategies::costs),
    ("differences", strategies::differences),
    ("against-semi-sorted", strategies::against_semi_sorted),
    ("decisions", strategies::decisions),
    ("decision-losses", strategies::decision_losses),
    ("speakers", strategies::speakers),
    (
        "speakers-against-semi-sorted",
        strategies::speakers_against_semi_sorted,
    ),
    ("lengths", batches::lengths),
    ("paper-batches", batches::paper_batches),
    ("repeated-runs", repeats::repeated_runs),
    ("buckets", cost::buckets),
    ("bucket-cost", cost::bucket_cost),
    ("step-cost", cost::step_cost),
];
