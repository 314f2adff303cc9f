//! Tables of an experiment: one in the papers' columns, and three of our own, about speed, learning and padding.
//!
//! A [`Grid`] is a table before it is text, so that Markdown and the page show the same cells; [`csv()`] has every number by
//! itself, for other programs.

mod csv;
mod measured;
mod papers;
mod runs;

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use crate::findings::Findings;

pub use self::csv::{csv, fields};

/// The title of the table in the papers' columns.
pub const PAPERS: &str = "The papers' columns";
/// The title of the table about speed.
pub const SPEED: &str = "Speed and memory";
/// The title of the table about learning.
pub const LEARNING: &str = "Learning";
/// The title of the table about padding.
pub const PADDING: &str = "Padding";

/// A table of text: the first column has names, the others numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// What it shows.
    pub title: String,
    /// What is to be known when reading it.
    pub note: String,
    /// Names of columns.
    pub header: Vec<String>,
    /// Cells, as many in each row as there are names.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// The table alone, as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut table = Table::new();
        table
            .load_style(ASCII_MARKDOWN)
            .set_content_arrangement(ContentArrangement::Disabled);
        // A bar would end a cell.
        let escaped = |cells: &[String]| -> Vec<String> {
            cells.iter().map(|cell| cell.replace('|', "\\|")).collect()
        };
        table.set_header(escaped(&self.header));
        for row in &self.rows {
            table.add_row(escaped(row));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        format!("{table}\n")
    }
}

/// Every table of an experiment; the papers' columns first, where a paper has any.
pub fn all(findings: &Findings) -> Vec<Grid> {
    let papers = papers::papers(findings).into_iter();
    papers
        .chain([
            measured::speed(findings),
            measured::learning(findings),
            measured::padding(findings),
        ])
        .collect()
}

/// How every single run stands.
pub fn runs(findings: &Findings) -> Grid {
    runs::runs(findings)
}

/// The name of a row, with what is not as it was meant to be.
fn name(findings: &Findings, row: usize) -> String {
    let trouble = findings.rows[row].standing.trouble();
    if trouble.is_empty() {
        findings.name(row).to_owned()
    } else {
        format!("{} ({trouble})", findings.name(row))
    }
}

/// What there is no number for.
const NOTHING: &str = "–";

fn or_nothing(text: Option<String>) -> String {
    text.unwrap_or_else(|| NOTHING.into())
}
