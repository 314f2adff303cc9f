//! `--set a.b=c`: one value of a config replaced from the command line.

use toml::{Table, Value};

use crate::error::ConfigError;

/// Puts the value of `a.b=c` into a config's tables. `strategy.0.line` is the line of the first strategy.
pub(crate) fn apply(table: &mut Table, text: &str) -> Result<(), ConfigError> {
    let wrong = |message: String| ConfigError::Override {
        text: text.into(),
        message,
    };
    let Some((path, value)) = text.split_once('=') else {
        return Err(wrong(
            "write it as KEY=VALUE, for instance train.epochs=2".into(),
        ));
    };
    let keys: Vec<&str> = path.split('.').map(str::trim).collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err(wrong(format!(
            "`{path}` is no key: write it as in the file, the table first, for instance train.epochs"
        )));
    }
    let value = read_value(value.trim());
    let Some((last, tables)) = keys.split_last() else {
        return Ok(());
    };
    let mut place = Place::Table(table);
    for key in tables {
        place = place.enter(key).map_err(&wrong)?;
    }
    place.put(last, value).map_err(wrong)
}

/// Where a path has led so far.
enum Place<'a> {
    Table(&'a mut Table),
    List(&'a mut Vec<Value>),
}

impl<'a> Place<'a> {
    fn enter(self, key: &str) -> Result<Self, String> {
        let value = match self {
            Place::Table(table) => table
                .entry(key)
                .or_insert_with(|| Value::Table(Table::new())),
            Place::List(list) => at(list, key)?,
        };
        match value {
            Value::Table(table) => Ok(Place::Table(table)),
            Value::Array(list) => Ok(Place::List(list)),
            other => Err(format!("`{key}` is {other}, and has no keys of its own")),
        }
    }

    fn put(self, key: &str, value: Value) -> Result<(), String> {
        match self {
            Place::Table(table) => {
                table.insert(key.into(), value);
            }
            Place::List(list) => *at(list, key)? = value,
        }
        Ok(())
    }
}

fn at<'a>(list: &'a mut [Value], key: &str) -> Result<&'a mut Value, String> {
    let count = list.len();
    key.parse::<usize>()
        .ok()
        .and_then(|index| list.get_mut(index))
        .ok_or_else(|| format!("`{key}` is none of the {count} rows, which are numbered from 0"))
}

/// A value as TOML has it; anything else is text, so that nobody has to quote twice.
fn read_value(text: &str) -> Value {
    format!("value = {text}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| Value::String(text.into()))
}
