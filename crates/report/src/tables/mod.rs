//! Tables: of what a run prints, of an experiment (in the papers' columns, and about speed, learning and padding), of every run.
//!
//! A [`TextTable`] is a table before it is text, so that Markdown and the page show the same cells; [`csv()`] has every number by
//! itself, for other programs.

mod csv;
mod metric_tables;
mod papers;
mod runs;
mod summary;
mod text_table;
mod titled;

pub use self::csv::{csv, fields};
pub use metric_tables::{learning, padding, speed};
pub use papers::papers;
pub use runs::runs;
pub use summary::summary_table;
pub use text_table::{Style, TextTable};
pub use titled::TitledTable;

use crate::findings::Findings;

/// Every table of an experiment; the papers' columns first, where a paper has any.
pub fn all(findings: &Findings) -> Vec<TitledTable> {
    let own = [speed(findings), learning(findings), padding(findings)];
    papers(findings).into_iter().chain(own).collect()
}
