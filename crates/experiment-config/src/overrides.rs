//! Overrides: `--set a.b=c` replaces one value of a config.

use padwise_sampler::excerpt::excerpt;
use toml::{Table, Value};

use crate::error::ConfigError;

/// Tables with keys of which a config sets one: setting one of them removes the others.
const ALTERNATIVES: [(&str, &[&str]); 4] = [
    ("corpus", &["pack", "packs", "synthetic"]),
    ("corpus.validation", &HELD_OUT),
    ("corpus.test", &HELD_OUT),
    ("train.schedule", &["step", "plateau"]),
];

const HELD_OUT: [&str; 5] = ["share", "speakers", "fresh", "pack", "packs"];

fn alternatives(path: &str) -> Option<&'static [&'static str]> {
    let found = ALTERNATIVES.iter().find(|(table, _)| *table == path);
    found.map(|&(_, keys)| keys)
}

/// Applies the override `a.b=c` to a config's tables. `strategy.0.line` is the line of the first strategy.
pub(crate) fn apply(table: &mut Table, text: &str) -> Result<(), ConfigError> {
    let wrong = |message: String| ConfigError::Override {
        text: text.into(),
        message,
    };
    let Some((path, value)) = text.split_once('=') else {
        return Err(wrong(
            "expected KEY=VALUE, for example train.epochs=2".into(),
        ));
    };
    let keys: Vec<&str> = path.split('.').map(str::trim).collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err(wrong(format!(
            "`{}` is not a valid key: write TABLE.KEY, for example train.epochs",
            excerpt(path)
        )));
    }
    let value = read_value(value.trim());
    let Some((last, tables)) = keys.split_last() else {
        return Ok(());
    };
    let mut place = Place::Table(table);
    for (depth, key) in tables.iter().enumerate() {
        place.choose(&keys[..depth].join("."), key);
        let path = keys[..=depth].join(".");
        place = place.enter(key, &path).map_err(&wrong)?;
    }
    place.choose(&tables.join("."), last);
    place.put(last, value).map_err(wrong)
}

/// The table or list that a key path has reached.
enum Place<'a> {
    Table(&'a mut Table),
    List(&'a mut Vec<Value>),
}

impl<'a> Place<'a> {
    /// Removes the alternatives of a key in the table at `path`.
    fn choose(&mut self, path: &str, key: &str) {
        if let (Place::Table(table), Some(keys)) = (self, alternatives(path))
            && keys.contains(&key)
        {
            table.retain(|other, _| other == key || !keys.contains(&other));
        }
    }

    /// The table or list of a key; `path` ends with it. Replaces a text that is an alternative to the table.
    fn enter(self, key: &str, path: &str) -> Result<Self, String> {
        let value = match self {
            Place::Table(table) => table
                .entry(key)
                .or_insert_with(|| Value::Table(Table::new())),
            Place::List(list) => at(list, key)?,
        };
        if value.is_str() && alternatives(path).is_some() {
            *value = Value::Table(Table::new());
        }
        match value {
            Value::Table(table) => Ok(Place::Table(table)),
            Value::Array(list) => Ok(Place::List(list)),
            other => Err(format!(
                "`{}` is a value ({}), not a table",
                excerpt(key),
                excerpt(&other.to_string())
            )),
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
        .ok_or_else(|| {
            let key = excerpt(key);
            format!("`{key}` is not a valid index: there are {count} entries, numbered from 0")
        })
}

/// Parses a TOML value. Anything else is text, so users need no quotes inside quotes.
fn read_value(text: &str) -> Value {
    format!("value = {text}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| Value::String(text.into()))
}
