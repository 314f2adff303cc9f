//! Finds one cell of a table in a Markdown or CSV file, so that sentences can quote it.
//!
//! A row is identified by its cells: `random` is the row that contains this cell, and `700; 16; bf16` the row that contains these
//! three in this order. The match must be unique among all tables of the file. The separator is `;` because a block may itself be
//! inside a table, where `|` ends the cell.

use padwise_sampler::excerpt::excerpt;

use crate::markdown::escaped_cell;
use crate::text::rounded;

/// The format of a file with tables.
#[derive(Clone, Copy)]
pub(super) enum Format {
    Markdown,
    Csv,
}

/// A table: titles of columns, and rows.
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A cell by its row and column, rounded if decimals are given.
pub(super) struct Cell<'a> {
    pub row: &'a str,
    pub column: &'a str,
    pub decimals: Option<usize>,
}

/// The content of a cell in the tables of a text; `path` names the text in errors.
pub(super) fn cell(
    text: &str,
    format: Format,
    path: &str,
    Cell {
        row,
        column,
        decimals,
    }: Cell,
) -> Result<String, String> {
    let tables = match format {
        Format::Markdown => markdown(text),
        Format::Csv => vec![comma_separated(text).map_err(|error| format!("{path}: {error}"))?],
    };
    let asked: Vec<&str> = row.split(';').map(str::trim).collect();
    let mut found = Vec::new();
    let mut columns = Vec::new();
    for table in &tables {
        let mut at = (0..table.header.len()).filter(|&at| table.header[at] == column);
        columns.extend(table.header.iter().map(String::as_str));
        let Some(position) = at.next() else { continue };
        if at.next().is_some() {
            let column = excerpt(column);
            return Err(format!("{path} has two columns `{column}` in one table"));
        }
        let rows = table.rows.iter().filter(|cells| in_order(cells, &asked));
        found.extend(rows.map(|cells| cells.get(position).map_or("", String::as_str)));
    }
    if !columns.contains(&column) {
        return Err(format!(
            "{path} has no column `{}`; its columns are: {}",
            excerpt(column),
            excerpt(&columns.join("; "))
        ));
    }
    let (row, column) = (excerpt(row), excerpt(column));
    match found[..] {
        [] => Err(format!("{path} has no row that contains `{row}`")),
        [""] => Err(format!("{path}: `{column}` of `{row}` is empty")),
        [content] => match decimals {
            Some(decimals) => first_number(content)
                .map(|number| rounded(number, decimals))
                .ok_or_else(|| {
                    let content = excerpt(content);
                    format!("{path}: cannot round `{content}`, which is not a number")
                }),
            None => Ok(content.to_owned()),
        },
        _ => Err(format!(
            "{path} has {} rows that contain `{row}`: add another cell of the row, as in `700; 16`",
            found.len()
        )),
    }
}

/// Whether the cells contain these values in this order.
fn in_order(cells: &[String], asked: &[&str]) -> bool {
    let mut rest = cells.iter();
    asked
        .iter()
        .all(|asked| rest.any(|cell| is_cell(cell, asked)))
}

/// Whether a cell shows this text: as it is, as code or escaped.
fn is_cell(cell: &str, asked: &str) -> bool {
    cell.trim_matches('`') == asked || cell == escaped_cell(asked)
}

/// The number at the start of a cell: 0.781 for `0.781 (233)`, 1035731 for `1,035,731`.
fn first_number(content: &str) -> Option<f64> {
    let content = content.trim_start_matches('+').replace('−', "-");
    let end = content.find(|letter: char| !(letter.is_ascii_digit() || ".,-e".contains(letter)));
    content[..end.unwrap_or(content.len())]
        .replace(',', "")
        .parse()
        .ok()
}

fn comma_separated(text: &str) -> Result<Table, csv::Error> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let owned = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
    let header = owned(reader.headers()?);
    let rows = reader
        .records()
        .map(|record| record.map(|record| owned(&record)));
    let rows = rows.collect::<Result<_, _>>()?;
    Ok(Table { header, rows })
}

/// The tables of a Markdown document: a line of titles, a line of dashes, then rows.
fn markdown(text: &str) -> Vec<Table> {
    let cells = |line: &str| -> Option<Vec<String>> {
        let inner = line.trim().strip_prefix('|')?;
        let inner = inner.strip_suffix('|').unwrap_or(inner);
        let mut cells = vec![String::new()];
        let mut is_escaped = false;
        for c in inner.chars() {
            match cells.last_mut() {
                Some(cell) if c != '|' || is_escaped => cell.push(c),
                _ => cells.push(String::new()),
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
    };
    let mut tables: Vec<Table> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_rule = |line: &&str| line.contains("--") && line.chars().all(|c| "|-: ".contains(c));
        if let (Some(header), Some(_)) = (cells(line), lines.next_if(is_rule)) {
            let mut rows = Vec::new();
            while let Some(row) = lines.peek().and_then(|line| cells(line)) {
                rows.push(row);
                lines.next();
            }
            tables.push(Table { header, rows });
        }
    }
    tables
}
