//! A table of an experiment, with its title and notes.

use super::legend::{self, LegendEntry, legend};
use super::text_table::{Style, TextTable};
use crate::findings::Findings;
use crate::text::marked;

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

    /// The notes, with the explanation of marked names. Without it, a table that has no legend would not be complete.
    pub fn full_note(&self) -> String {
        let mark = legend::predicted(&self.cells);
        let mark = mark.map(|mark| format!("{}: {}.", mark.column, mark.explanation));
        let notes = [Some(self.note.clone()), mark].into_iter().flatten();
        let notes: Vec<String> = notes.filter(|note| !note.is_empty()).collect();
        notes.join(" ")
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
        let trouble = found.status.trouble();
        let name = marked(findings.name(row), findings.time_is_predicted(row));
        table.add_row([match trouble.is_empty() {
            true => name,
            false => format!("{name} ({trouble})"),
        }]);
    }
    table
}
