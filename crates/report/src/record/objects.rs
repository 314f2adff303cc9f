//! Rows that are JSON objects, as CSV: what JSON and CSV of one table say is then the same.

use std::io;

use serde_json::{Map, Value};

/// A line of names, those of the first object, then a line an object. Absent values are empty.
pub fn objects_as_csv(
    objects: impl IntoIterator<Item = Map<String, Value>>,
    out: impl io::Write,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    for (index, fields) in objects.into_iter().enumerate() {
        if index == 0 {
            writer.write_record(fields.keys())?;
        }
        writer.write_record(fields.values().map(|value| match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        }))?;
    }
    writer.flush()
}
