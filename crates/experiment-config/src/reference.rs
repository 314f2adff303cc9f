//! The config reference: Markdown tables of all keys, generated from the JSON schema.

use serde_json::{Map, Value};

use crate::json_schema;

/// A Markdown page with one table per section of a config. Each row has a key, its values, its default and its meaning.
pub fn reference() -> String {
    let schema: Value = serde_json::from_str(&json_schema::schema()).unwrap_or_default();
    let mut page = Page::default();
    page.table("Top-level keys", "", &schema);
    let head = "# Config reference\n\n\
        Every key of an experiment config, generated from the JSON schema (`configs/schema.json`). \"–\" means that a key has \
        no default. [experiments.md](experiments.md) has an example config.\n";
    page.sections.insert(0, head.into());
    page.sections.join("\n")
}

/// Finished sections, in order.
#[derive(Default)]
struct Page {
    sections: Vec<String>,
}

impl Page {
    /// Adds the table of an object, then those of the tables inside it.
    fn table(&mut self, title: &str, path: &str, object: &Value) {
        let mut rows = Vec::new();
        let mut inner = Vec::new();
        for (key, value) in properties(object) {
            let value = without_null(value);
            let path = [path, key].join(".").trim_matches('.').to_owned();
            match (value.get("properties"), value.get("items")) {
                (Some(_), _) => inner.push((format!("`[{path}]`"), path, value)),
                (None, Some(items)) if items.get("properties").is_some() => {
                    inner.push((format!("`[[{path}]]`"), path, items));
                }
                _ => add_rows(&mut rows, key, value, is_required(object, key)),
            }
        }
        let mut section = format!("## {title}\n\n");
        if let Some(meaning) = object.get("description").and_then(Value::as_str) {
            section += &format!("{}\n\n", split_default(meaning).0);
        }
        section += "| key | values | default | meaning |\n| --- | --- | --- | --- |\n";
        for cells in rows {
            let cells = cells.map(|cell| cell.replace('|', "\\|"));
            section += &format!("| {} |\n", cells.join(" | "));
        }
        self.sections.push(section);
        for (title, path, value) in inner {
            self.table(&title, &path, value);
        }
    }
}

type Cells = [String; 4];

/// One row for a key, one for each of its alternatives, and one for each key inside an alternative.
fn add_rows(rows: &mut Vec<Cells>, key: &str, value: &Value, required: bool) {
    let (meaning, stated) = description(value);
    let default = match (value.get("default"), stated) {
        // An empty name stands for the default that the description states.
        (Some(default), stated) if default != "" || stated.is_none() => {
            format!("`{}`", toml_text(default))
        }
        (_, Some(stated)) => stated,
        _ if required => "required".into(),
        _ => "–".into(),
    };
    rows.push([format!("`{key}`"), kind(value), default, meaning]);
    let Some(alternatives) = alternatives(value) else {
        return;
    };
    let mut inner_rows = Vec::new();
    for alternative in alternatives {
        let (meaning, _) = description(alternative);
        if let Some(text) = alternative.get("const") {
            let text = format!("`{}`", toml_text(text));
            rows.push([String::new(), text, String::new(), meaning.clone()]);
        }
        for (name, value) in properties(alternative) {
            let value = without_null(value);
            let path = format!("{key}.{name}");
            let inner = properties(value);
            let written = if self::alternatives(value).is_some() {
                add_rows(&mut inner_rows, &path, value, true);
                format!("`{{ {name} = … }}`")
            } else if inner.is_empty() {
                format!("`{{ {name} = … }}`: {}", kind(value))
            } else {
                let entries: Vec<String> = inner.keys().map(|key| format!("{key} = …")).collect();
                format!("`{{ {name} = {{ {} }} }}`", entries.join(", "))
            };
            rows.push([String::new(), written, String::new(), meaning.clone()]);
            for (inner_key, inner_value) in inner {
                let path = format!("{path}.{inner_key}");
                let required = is_required(value, inner_key);
                add_rows(&mut inner_rows, &path, without_null(inner_value), required);
            }
        }
    }
    rows.extend(inner_rows);
}

/// The type of a value with its limits, for example "integer ≥ 1".
fn kind(value: &Value) -> String {
    if alternatives(value).is_some() {
        return "one of".into();
    }
    if let Some(parts) = value.get("anyOf").and_then(Value::as_array) {
        let kinds: Vec<String> = parts.iter().map(kind).collect();
        return kinds.join(" or ");
    }
    let name = match value.get("type") {
        Some(Value::Array(types)) => types.first().and_then(Value::as_str),
        other => other.and_then(Value::as_str),
    };
    let limit = |key: &str, sign: &str| {
        let number = value.get(key).filter(|number| number.is_number());
        number.map(|number| format!(" {sign} {number}"))
    };
    let limits = [
        limit("minimum", "≥"),
        limit("exclusiveMinimum", ">"),
        limit("maximum", "≤"),
        limit("exclusiveMaximum", "<"),
    ];
    let limits: Vec<String> = limits.into_iter().flatten().collect();
    match name {
        Some("boolean") => "`true`, `false`".into(),
        Some("string") => "text".into(),
        Some("array") => format!(
            "list of {}",
            value.get("items").map(kind).unwrap_or_default()
        ),
        Some(name) => format!("{name}{}", limits.join(",")),
        None => String::new(),
    }
}

/// The first paragraph of a description and the default that it states.
fn description(value: &Value) -> (String, Option<String>) {
    let text = value.get("description").and_then(Value::as_str);
    split_default(text.unwrap_or_default())
}

/// Splits "Meaning. Default: `1`." into the meaning and the default.
pub(crate) fn split_default(text: &str) -> (String, Option<String>) {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let paragraph = without_links(&paragraph.replace('\n', " "));
    match paragraph.split_once(" Default: ") {
        Some((meaning, default)) => (
            meaning.to_owned(),
            Some(default.trim_end_matches('.').to_owned()),
        ),
        None => (paragraph, None),
    }
}

/// Replaces rustdoc's links to items by their text.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[`") {
        let Some((name, tail)) = after.split_once("`]") else {
            break;
        };
        plain += &format!("{before}`{name}`");
        let target = tail.strip_prefix('(').and_then(|tail| tail.split_once(')'));
        rest = target.map_or(tail, |(_, tail)| tail);
    }
    plain + rest
}

/// A default as a config writes it.
fn toml_text(value: &Value) -> String {
    match value {
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(toml_text).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{key} = {}", toml_text(value)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

/// The schema itself, or the part of `anyOf` that is not null: optional keys are written so.
fn without_null(value: &Value) -> &Value {
    let parts = value.get("anyOf").and_then(Value::as_array);
    match parts.and_then(|parts| parts.iter().find(|part| part["type"] != "null")) {
        // The key's own description is more specific than that of its type.
        Some(_) if value.get("description").is_some() => value,
        Some(part) => part,
        None => value,
    }
}

fn alternatives(value: &Value) -> Option<&Vec<Value>> {
    let own = value.get("oneOf").and_then(Value::as_array);
    own.or_else(|| {
        let parts = value.get("anyOf")?.as_array()?;
        parts.iter().find_map(|part| part.get("oneOf")?.as_array())
    })
}

fn properties(value: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    let properties = value.get("properties").and_then(Value::as_object);
    properties.unwrap_or(&NONE)
}

fn is_required(object: &Value, key: &str) -> bool {
    let required = object.get("required").and_then(Value::as_array);
    required.is_some_and(|keys| keys.iter().any(|required| required == key))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects the keys whose description states another default than the schema does.
    fn contradictions(path: &str, value: &Value, found: &mut Vec<String>) {
        if let (Some(default), (_, Some(stated))) = (value.get("default"), description(value))
            && default != ""
            && stated != format!("`{}`", toml_text(default))
        {
            found.push(format!("{path}: {stated}, but it is {default}"));
        }
        for (key, value) in properties(value) {
            contradictions(&format!("{path}.{key}"), value, found);
        }
    }

    #[test]
    fn stated_defaults_are_the_real_ones() {
        let schema: Value = serde_json::from_str(&json_schema::schema()).expect("JSON");
        let mut found = Vec::new();
        contradictions("", &schema, &mut found);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn every_key_of_the_schema_has_a_row() {
        let page = reference();
        for row in [
            "| `epochs` | integer ≥ 1, ≤ 1000000 | `1` | Number of passes over the training set. |",
            "| `schedule.step.every` | integer ≥ 1 | required |",
            "| `dropout` | number ≥ 0, < 1 | `0.0` |",
            "| `seeds` | list of integer ≥ 0 | `[1]` |",
            "| `{ speakers = … }`: integer ≥ 1 or list of text |",
            "## `[corpus.synthetic]`",
            "## `[[strategy]]`",
            "## `[strategy.paper]`",
        ] {
            assert!(page.contains(row), "{row}\n{page}");
        }
    }
}
