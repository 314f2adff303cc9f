//! From a file and overrides to a config, or to the line that is at fault.

use std::path::Path;

use toml::Table;
use toml::de::{DeTable, DeValue};

use super::error::{snippet, with_suggestion};
use super::{ConfigError, Row, RunConfig, StrategyRow, checks, overrides};

/// Reads a config, applies overrides, checks what can be checked without opening the corpus, and fills in what was left out.
pub fn read(path: &Path, sets: &[String]) -> Result<(RunConfig, Vec<Row>), ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Read {
        path: path.into(),
        source,
    })?;
    let source = Source { path, text: &text };
    let mut config: RunConfig = toml::from_str(&text).map_err(|error| source.error(&error))?;
    let mut table: Table = toml::from_str(&text).map_err(|error| source.error(&error))?;
    for set in sets {
        overrides::apply(&mut table, set)?;
        config =
            table
                .clone()
                .try_into()
                .map_err(|error: toml::de::Error| ConfigError::Override {
                    text: set.clone(),
                    message: with_suggestion(error.message()),
                })?;
    }
    if config.name.is_empty() {
        config.name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
    }
    let rows = checks::check(&config).map_err(|problem| source.problem(&problem, sets))?;
    config.strategy = rows.iter().map(StrategyRow::resolved).collect();
    Ok((config, rows))
}

/// Something wrong with a value, and where the value is.
pub(super) struct Problem {
    /// The keys that lead to it; rows by their number.
    pub keys: Vec<String>,
    /// What is wrong, and what would be right.
    pub message: String,
}

struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    fn error(&self, error: &toml::de::Error) -> ConfigError {
        let message = with_suggestion(error.message());
        match error.span() {
            Some(span) => self.at(span, message),
            None => ConfigError::File {
                path: self.path.into(),
                message,
            },
        }
    }

    fn at(&self, span: std::ops::Range<usize>, message: String) -> ConfigError {
        let (line, snippet) = snippet(self.text, span);
        ConfigError::At {
            path: self.path.into(),
            line,
            message,
            snippet,
        }
    }

    /// The place of a problem: the override that set the value, or the value in the file, or the table it is missing from.
    fn problem(&self, problem: &Problem, sets: &[String]) -> ConfigError {
        let dotted = problem.keys.join(".");
        let set = sets.iter().rev().find(|set| {
            set.split_once('=')
                .is_some_and(|(key, _)| key.trim() == dotted)
        });
        if let Some(set) = set {
            return ConfigError::Override {
                text: set.clone(),
                message: problem.message.clone(),
            };
        }
        match span_of(self.text, &problem.keys) {
            Some(span) => self.at(span, problem.message.clone()),
            None => ConfigError::File {
                path: self.path.into(),
                message: problem.message.clone(),
            },
        }
    }
}

/// Where the value under these keys stands, or the deepest table on the way that there is.
fn span_of(text: &str, keys: &[String]) -> Option<std::ops::Range<usize>> {
    let document = DeTable::parse(text).ok()?;
    let mut table = document.get_ref();
    let mut found = None;
    let mut keys = keys.iter();
    while let Some(key) = keys.next() {
        let Some((_, value)) = table.iter().find(|(name, _)| name.get_ref() == key) else {
            break;
        };
        found = Some(value.span());
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            DeValue::Array(rows) => {
                let number = keys.next().and_then(|index| index.parse::<usize>().ok());
                let Some(row) = number.and_then(|number| rows.get(number)) else {
                    break;
                };
                found = Some(row.span());
                match row.get_ref() {
                    DeValue::Table(inner) => table = inner,
                    _ => break,
                }
            }
            _ => break,
        }
    }
    found
}
