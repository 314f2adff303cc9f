//! Reads and writes the CSV tables of a results folder, one value per line.
//!
//! The run may still be going. An incomplete last line is ignored, as `--resume` does.

use std::io;
use std::path::Path;

use csv::StringRecord;
use padwise_sampler::excerpt::excerpt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ReadError;
use super::file::{MAX_TABLE_BYTES, optional, reading};
use super::sequence::REMEDY;

/// Reads a table and passes every row to `check`, which says what is wrong with it. Returns no rows if the file does not exist.
///
/// Every column of `T` must be there once, except that those in `later` may be missing.
pub(super) fn read_table<T: DeserializeOwned + Serialize + Default>(
    path: &Path,
    later: &[&str],
    check: impl Fn(&T) -> Result<(), String>,
) -> Result<Vec<T>, ReadError> {
    let Some(content) = optional(path, MAX_TABLE_BYTES)? else {
        return Ok(Vec::new());
    };
    let whole = content.iter().rposition(|&byte| byte == b'\n');
    let mut reader = csv::Reader::from_reader(&content[..whole.map_or(0, |at| at + 1)]);
    let names = reader.headers().map_err(reading(path))?.clone();
    check_header(path, &names, &columns::<T>(), later)?;
    let mut rows = Vec::new();
    for line in reader.records() {
        let at = |error: csv::Error, line: Option<&StringRecord>| match error.position() {
            Some(position) => ReadError::Line {
                path: path.into(),
                line: position.line(),
                problem: problem_of(&error, &names, line),
            },
            None => reading(path)(error),
        };
        let line = line.map_err(|error| at(error, None))?;
        let row: T = line
            .deserialize(Some(&names))
            .map_err(|error| at(error, Some(&line)))?;
        check(&row).map_err(|problem| ReadError::Line {
            path: path.into(),
            line: line.position().map_or(0, csv::Position::line),
            problem: format!("{problem}; {REMEDY}"),
        })?;
        rows.push(row);
    }
    Ok(rows)
}

/// Rows as lines of a table, after a header if `header`.
pub fn rows_as_csv<T: Serialize>(rows: &[T], header: bool) -> io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(header)
        .from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(io::Error::other)?;
    }
    let lines = writer.into_inner();
    lines.map_err(|error| io::Error::other(error.to_string()))
}

/// Checks that the header has every column once. An empty file has no header yet.
fn check_header(
    path: &Path,
    names: &StringRecord,
    columns: &[String],
    later: &[&str],
) -> Result<(), ReadError> {
    let refused = |problem: String| ReadError::Line {
        path: path.into(),
        line: 1,
        problem: format!("{problem}; {REMEDY}"),
    };
    if names.is_empty() {
        return Ok(());
    }
    for column in columns {
        match names.iter().filter(|name| name == column).count() {
            1 => {}
            0 if later.contains(&column.as_str()) => {}
            0 => return Err(refused(format!("missing column {column}"))),
            _ => return Err(refused(format!("duplicate column {column}"))),
        }
    }
    Ok(())
}

/// The columns of a table.
fn columns<T: Serialize + Default>() -> Vec<String> {
    let row = serde_json::to_value(T::default()).unwrap_or_default();
    let fields = row.as_object().into_iter().flatten();
    fields.map(|(name, _)| name.clone()).collect()
}

/// The line of the row with this index, from 1. Quoted notes may span lines, so the file is read again.
pub(super) fn line_of(path: &Path, index: usize) -> u64 {
    let found = csv::Reader::from_path(path).ok().and_then(|mut reader| {
        let record = reader.records().nth(index)?.ok()?;
        Some(record.position()?.line())
    });
    found.unwrap_or(index as u64 + 2)
}

/// Describes what is wrong with a line; the caller adds the line number.
fn problem_of(error: &csv::Error, names: &StringRecord, line: Option<&StringRecord>) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => {
            let field = err.field().and_then(|field| usize::try_from(field).ok());
            let of = |record: &StringRecord| record.get(field?).map(str::to_owned);
            match (of(names), line.and_then(of)) {
                (Some(name), Some(value)) => {
                    format!("invalid {name} `{}`: {}", excerpt(&value), kind_of(err))
                }
                _ => excerpt(&err.to_string()),
            }
        }
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!("{len} fields, expected {expected_len} as in the header"),
        _ => error.to_string(),
    }
}

/// Why a field cannot be read, without the value, which the caller adds.
fn kind_of(error: &csv::DeserializeError) -> String {
    match error.kind() {
        csv::DeserializeErrorKind::Message(message) => excerpt(message),
        other => other.to_string(),
    }
}
