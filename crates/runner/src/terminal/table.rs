//! Tables in the terminal, and the legend below each.
//!
//! Columns are two spaces apart, without borders. A header of several words may take two lines, so a table of numbers is not
//! wider than its numbers. On a terminal that is too narrow, the first column wraps and no figure is lost.

use std::io::{self, IsTerminal};

use padwise_report::tables::TextTable;

/// Spaces between two columns.
const GAP: usize = 2;

/// The first column is never wrapped to less than this.
const NARROWEST_NAME: usize = 20;

/// A header longer than this takes two lines if it has a space.
const LONGEST_HEADER: usize = 9;

/// The table as text: names on the left, all other columns aligned to the right. No newline at the end.
pub fn render_table(table: &TextTable) -> String {
    render(table, terminal_columns())
}

/// What each column means, one line per column.
pub fn legend<T: AsRef<str>, U: AsRef<str>>(entries: impl IntoIterator<Item = (T, U)>) -> String {
    let entries: Vec<(T, U)> = entries.into_iter().collect();
    let names = entries.iter().map(|(name, _)| width(name.as_ref()));
    let widest = names.max().unwrap_or(0);
    let lines = entries.iter().map(|(name, meaning)| {
        let (name, meaning) = (name.as_ref(), meaning.as_ref());
        format!("  {}  {meaning}\n", padded(name, widest, false))
    });
    lines.collect()
}

/// The width of the terminal that standard output goes to.
fn terminal_columns() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let (columns, _) = terminal_size::terminal_size()?;
    Some(usize::from(columns.0))
}

fn render(table: &TextTable, columns: Option<usize>) -> String {
    let header: Vec<Vec<String>> = table.header.iter().map(|title| two_lines(title)).collect();
    let mut widths: Vec<usize> = (0..table.header.len())
        .map(|column| {
            let cells = table.rows.iter().filter_map(|row| row.get(column));
            let titles = header[column].iter();
            let widths = cells.chain(titles).map(|text| width(text));
            widths.max().unwrap_or(0)
        })
        .collect();
    let numbers: usize = widths.iter().skip(1).map(|width| width + GAP).sum();
    if let (Some(columns), Some(names)) = (columns, widths.first_mut()) {
        *names = (*names).min(columns.saturating_sub(numbers).max(NARROWEST_NAME));
    }
    let height = header.iter().map(Vec::len).max().unwrap_or(0);
    let mut lines = Vec::new();
    for line in 0..height {
        // The titles end on the line above the rule.
        let titles = header.iter().map(|title| {
            let above = height - title.len();
            line.checked_sub(above).map_or("", |at| title[at].as_str())
        });
        lines.push(joined(titles, &widths));
    }
    let whole = widths.first().copied().unwrap_or(0) + numbers;
    lines.push("─".repeat(whole));
    for row in &table.rows {
        let name = row.first().map_or("", String::as_str);
        let wrapped = wrapped(name, widths.first().copied().unwrap_or(0));
        let mut names = wrapped.iter().map(String::as_str);
        let cells = names.next().into_iter();
        let cells = cells.chain(row.iter().skip(1).map(String::as_str));
        lines.push(joined(cells, &widths));
        lines.extend(names.map(str::to_owned));
    }
    lines.join("\n")
}

/// Cells side by side, the first to the left and the others to the right.
fn joined<'a>(cells: impl Iterator<Item = &'a str>, widths: &[usize]) -> String {
    let cells = cells.zip(widths).enumerate();
    let line: Vec<String> = cells
        .map(|(column, (cell, &width))| padded(cell, width, column > 0))
        .collect();
    line.join(&" ".repeat(GAP)).trim_end().to_owned()
}

fn padded(text: &str, to: usize, right: bool) -> String {
    let spaces = " ".repeat(to.saturating_sub(width(text)));
    if right {
        spaces + text
    } else {
        text.to_owned() + &spaces
    }
}

/// A long header on two lines, split at the space that leaves them most alike.
fn two_lines(title: &str) -> Vec<String> {
    if width(title) > LONGEST_HEADER {
        let splits = title.match_indices(' ').map(|(at, _)| {
            let (first, second) = (&title[..at], &title[at + 1..]);
            (width(first).max(width(second)), first, second)
        });
        if let Some((_, first, second)) = splits.min_by_key(|&(width, ..)| width) {
            return vec![first.to_owned(), second.to_owned()];
        }
    }
    vec![title.to_owned()]
}

/// A name on as many lines as it needs, broken after commas and spaces; later lines are indented.
fn wrapped(name: &str, to: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in name.split_inclusive([',', ' ']) {
        let line = lines.last().map_or(0, |line| width(line));
        if line > 0 && line + width(part.trim_end()) > to {
            lines.push("  ".to_owned());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(part);
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// Columns of a terminal that a text takes. The tables have no double-width characters of their own.
fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TextTable {
        let mut table = TextTable::new(["strategy", "padding %", "repeat pairs"]);
        table.add_row(["random", "32.12", "0.008"]);
        table.add_row(["bucketed:mxnet,shuffle-batches,drop-last", "4.00", "0.03"]);
        table
    }

    #[test]
    fn long_headers_take_two_lines() {
        let expected = [
            "                                                     repeat",
            "strategy                                  padding %   pairs",
            "───────────────────────────────────────────────────────────",
            "random                                        32.12   0.008",
            "bucketed:mxnet,shuffle-batches,drop-last       4.00    0.03",
        ];
        assert_eq!(render(&table(), None), expected.join("\n"));
    }

    #[test]
    fn names_wrap_on_a_narrow_terminal() {
        let narrow = render(&table(), Some(50));
        let expected = [
            "                                            repeat",
            "strategy                         padding %   pairs",
            "──────────────────────────────────────────────────",
            "random                               32.12   0.008",
            "bucketed:mxnet,shuffle-batches,       4.00    0.03",
            "  drop-last",
        ];
        assert_eq!(narrow, expected.join("\n"));
        assert!(render(&table(), Some(1)).contains("0.008"));
    }

    #[test]
    fn a_legend_has_one_line_per_column() {
        let legend = legend([
            ("batches", "batches per epoch"),
            ("ABL", "average batch length"),
        ]);
        assert_eq!(
            legend,
            "  batches  batches per epoch\n  ABL      average batch length\n"
        );
    }
}
