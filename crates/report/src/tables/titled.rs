//! A table of an experiment, with its title and notes.

use super::legend::{LegendEntry, legend};
use super::text_table::{Style, TextTable};
use crate::findings::Findings;

/// A table with its title and notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TitledTable {
    /// The title.
    pub title: &'static str,
    /// Notes for the reader; may be empty.
    pub note: String,
    /// The cells.
    pub cells: TextTable,
}

impl TitledTable {
    /// The table as Markdown, without title and notes.
    pub fn to_markdown(&self) -> String {
        self.cells.render(Style::Markdown) + "\n"
    }

    /// Explains the columns.
    pub fn legend(&self) -> Vec<LegendEntry> {
        legend(&self.cells)
    }
}

/// A table with one row per strategy: its name, with the number of runs that did not complete.
pub(super) fn strategies(findings: &Findings) -> TextTable {
    let mut table = TextTable::new(["strategy"]);
    for (row, found) in findings.rows.iter().enumerate() {
        let (name, trouble) = (findings.name(row), found.status.trouble());
        table.add_row([match trouble.is_empty() {
            true => name.to_owned(),
            false => format!("{name} ({trouble})"),
        }]);
    }
    table
}
