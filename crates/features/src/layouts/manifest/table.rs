//! Reads the rows of a CSV manifest.

use std::borrow::Cow;
use std::path::Path;

use padwise_sampler::excerpt::excerpt;

use super::columns::{AUDIO_NAMES, Column, Columns};
use super::row::Row;
use crate::files::{FileError, LimitedLines, open_regular};
use crate::layouts::row_filter::{RowSelection, find_column};

pub(super) fn rows(
    path: &Path,
    columns: &mut Columns,
    selection: &mut RowSelection,
) -> Result<Vec<Row>, FileError> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(LimitedLines::new(open_regular(path)?));
    let header: Vec<String> = reader
        .headers()
        .map_err(|error| malformed(path, &error))?
        .iter()
        .map(String::from)
        .collect();
    let in_header = |reason: String| FileError::line(path, 1, reason);
    let repeated = (1..header.len()).find(|&n| header[..n].contains(&header[n]));
    if let Some(number) = repeated {
        let name = excerpt(&header[number]);
        return Err(in_header(format!("two columns are named `{name}`")));
    }
    let meanings: Vec<Option<Column>> = header
        .iter()
        .map(|name| columns.add(name))
        .collect::<Result<_, _>>()
        .map_err(in_header)?;
    if !columns.has(Column::Audio) {
        let names = excerpt(&header.join(", "));
        return Err(in_header(format!(
            "no column with the files: expected {AUDIO_NAMES}; the columns are {names}"
        )));
    }
    let places: Vec<usize> = selection
        .columns()
        .map(|column| find_column(&header, column))
        .collect::<Result<_, _>>()
        .map_err(in_header)?;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| malformed(path, &error))?;
        if !selection.accepts(|number, _| record.get(places[number]).map(Cow::Borrowed)) {
            continue;
        }
        let mut row = Row::new(record.position().map_or(1, csv::Position::line));
        for (column, value) in meanings.iter().zip(&record) {
            if let Some(column) = column {
                row.set(*column, value);
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

fn malformed(path: &Path, error: &csv::Error) -> FileError {
    let line = error.position().map_or(1, csv::Position::line);
    let reason = match error.kind() {
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!("{len} fields, but the header line has {expected_len}"),
        csv::ErrorKind::Io(error) => error.to_string(),
        csv::ErrorKind::Utf8 { .. } => "not valid UTF-8".to_string(),
        _ => error.to_string(),
    };
    FileError::line(path, line, reason)
}
