//! Writes JSON objects as CSV, so that the JSON and CSV forms of a table have the same columns and values.

use std::io;

use serde_json::{Map, Value};

/// Writes a header from the keys of the first object, then one line per object. Null becomes an empty field.
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
