//! A table of text cells, and how it is rendered for a terminal or a document.

use std::ops::Range;

use comfy_table::presets::{ASCII_MARKDOWN, UTF8_BORDERS_ONLY};
use comfy_table::{CellAlignment, ContentArrangement, Table};

use crate::markdown;

/// How a table is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// For a terminal.
    Terminal,
    /// For a document: Markdown with aligned columns.
    Markdown,
    /// For a document: Markdown without alignment.
    Compact,
}

/// A table: titles of columns, and cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextTable {
    /// Titles of the columns.
    pub header: Vec<String>,
    /// Cells. Each row has one per column.
    pub rows: Vec<Vec<String>>,
    right_aligned: Range<usize>,
}

impl TextTable {
    /// Creates an empty table. The first column is for names and left-aligned, the others are right-aligned.
    pub fn new<T: Into<String>>(header: impl IntoIterator<Item = T>) -> Self {
        let header: Vec<String> = header.into_iter().map(Into::into).collect();
        TextTable {
            right_aligned: 1..header.len(),
            header,
            rows: Vec::new(),
        }
    }

    /// Right-aligns only these columns.
    pub fn right_aligned(mut self, columns: Range<usize>) -> Self {
        self.right_aligned = columns;
        self
    }

    /// Adds a row.
    pub fn add_row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Adds a column on the right.
    pub fn add_column(&mut self, title: &str, cells: impl IntoIterator<Item = String>) {
        self.header.push(title.into());
        self.right_aligned.end = self.header.len();
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row.push(cell);
        }
    }

    /// Renders the table, without a newline at the end.
    pub fn render(&self, style: Style) -> String {
        let escaped = |cells: &[String]| -> Vec<String> {
            let escape = match style {
                Style::Terminal => markdown::visible,
                Style::Markdown | Style::Compact => markdown::escaped_cell,
            };
            cells.iter().map(|cell| escape(cell)).collect()
        };
        if style == Style::Compact {
            let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
            let rule = vec!["---".to_owned(); self.header.len()];
            let mut lines = vec![line(&escaped(&self.header)), line(&rule)];
            lines.extend(self.rows.iter().map(|cells| line(&escaped(cells))));
            return lines.join("\n");
        }
        let mut table = Table::new();
        // Lines are never cut, because that would lose figures. A terminal wraps them.
        table
            .load_style(match style {
                Style::Terminal => UTF8_BORDERS_ONLY,
                _ => ASCII_MARKDOWN,
            })
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(escaped(&self.header));
        for row in &self.rows {
            table.add_row(escaped(row));
        }
        let right = self.right_aligned.clone();
        let columns = table.column_iter_mut();
        for column in columns.skip(right.start).take(right.len()) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_in_three_styles() {
        let mut table = TextTable::new(["name", "number"]);
        table.add_row(["a|b", "1"]);
        table.add_column("more", ["22".to_owned()]);
        insta::assert_snapshot!(table.render(Style::Terminal), @r"
        ┌──────────────────────┐
        │ name   number   more │
        ╞══════════════════════╡
        │ a|b         1     22 │
        └──────────────────────┘
        ");
        insta::assert_snapshot!(table.render(Style::Markdown), @r"
        | name | number | more |
        |------|--------|------|
        | a\|b |      1 |   22 |
        ");
        insta::assert_snapshot!(table.render(Style::Compact), @r"
        | name | number | more |
        | --- | --- | --- |
        | a\|b | 1 | 22 |
        ");
    }
}
