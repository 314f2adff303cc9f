//! Reads the rows of a manifest of JSON lines.

use std::borrow::Cow;
use std::path::Path;

use padwise_sampler::excerpt::excerpt;
use serde_json::{Map, Value};

use super::columns::Columns;
use super::lhotse;
use super::row::Row;
use crate::files::{FileError, lines};
use crate::layouts::row_filter::{RowSelection, find_column};

pub(super) fn rows(
    path: &Path,
    columns: &mut Columns,
    selection: &mut RowSelection,
) -> Result<Vec<Row>, FileError> {
    let mut rows = Vec::new();
    for line in lines(path)? {
        let (number, line) = line?;
        let at_line = |reason: String| FileError::line(path, number, reason);
        let mut object = json_object(&line).map_err(at_line)?;
        if lhotse::is_cut(&object) {
            lhotse::flatten(&mut object, columns).map_err(at_line)?;
        }
        let mut row = Row::new(number);
        for (name, value) in &object {
            let Some(column) = columns.add(name).map_err(at_line)? else {
                continue;
            };
            match json_text(value) {
                Some(value) => row.set(column, &value),
                None if value.is_null() => {}
                None => {
                    return Err(at_line(format!("`{name}` must be a text or a number")));
                }
            }
        }
        if selection.accepts(|_, column| json_text(object.get(column)?)) {
            rows.push(row);
        }
    }
    if rows.is_empty() && selection.rows() > 0 {
        let names = columns.names();
        for column in selection.columns() {
            find_column(&names, column).map_err(|reason| FileError::content(path, reason))?;
        }
    }
    Ok(rows)
}

/// The object of a line of JSON lines.
///
/// # Errors
/// What is wrong with the line.
pub fn json_object(line: &str) -> Result<Map<String, Value>, String> {
    let line = line.strip_prefix('\u{feff}').unwrap_or(line).trim();
    if !line.starts_with('{') {
        return Err(format!(
            "`{}`: expected one JSON object per line",
            excerpt(&line.chars().take(20).collect::<String>())
        ));
    }
    serde_json::from_str(line).map_err(|error| {
        // The parser sees a single line, so its line number is always 1.
        let said = error.to_string();
        let said = said.split(" at line ").next().unwrap_or_default();
        format!("column {}: {}", error.column(), excerpt(said))
    })
}

/// The text of a JSON value; `None` if it is null or nested.
pub fn json_text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(text.trim().into()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string().into()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
