//! A table of an experiment, with its title: a row a strategy.

use super::text_table::{Style, TextTable};
use crate::findings::Findings;

/// A table with what it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TitledTable {
    /// What it shows.
    pub title: &'static str,
    /// What is to be known when reading it.
    pub note: String,
    /// The cells.
    pub cells: TextTable,
}

impl TitledTable {
    /// The table alone, as Markdown.
    pub fn to_markdown(&self) -> String {
        self.cells.render(Style::Markdown) + "\n"
    }
}

/// A row for each strategy, with its name and what is not as it was meant to be.
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
