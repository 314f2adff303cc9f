//! Reads a config from a file and overrides, and locates errors.

use std::path::Path;

use toml::Table;
use toml::de::{DeTable, DeValue};

use crate::bounded_file::{MAX_CONFIG_BYTES, read_bounded_text};
use crate::config::{ExperimentConfig, WrittenConfig};
use crate::error::{ConfigError, KeyError, snippet, with_suggestion};
use crate::overrides;

/// Reads a config file of at most 1 MiB, applies overrides (`KEY=VALUE`), checks every value and fills in defaults. Does not open the corpus.
pub fn read(path: &Path, sets: &[String]) -> Result<ExperimentConfig, ConfigError> {
    let text = read_bounded_text(path, MAX_CONFIG_BYTES).map_err(|source| ConfigError::Read {
        path: path.into(),
        source,
    })?;
    read_text(&text, path, sets)
}

/// Like [`read`], for a text in memory. `path` is used in error messages and for the default name.
pub fn read_text(
    text: &str,
    path: &Path,
    sets: &[String],
) -> Result<ExperimentConfig, ConfigError> {
    let source = Source { path, text };
    let mut config: WrittenConfig = toml::from_str(text).map_err(|error| source.error(&error))?;
    if !sets.is_empty() {
        let mut table: Table = toml::from_str(text).map_err(|error| source.error(&error))?;
        for set in sets {
            overrides::apply(&mut table, set)?;
            let changed = table.clone().try_into();
            config = changed.map_err(|error: toml::de::Error| ConfigError::Override {
                text: set.clone(),
                message: with_suggestion(error.message()),
            })?;
        }
    }
    if config.name.is_empty() {
        let stem = path.file_stem().unwrap_or_default();
        config.name = stem.to_string_lossy().into_owned();
    }
    config
        .resolve()
        .map_err(|problem| source.problem(problem, sets))
}

struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    fn error(&self, error: &toml::de::Error) -> ConfigError {
        self.at(error.span(), None, with_suggestion(error.message()))
    }

    fn at(
        &self,
        span: Option<std::ops::Range<usize>>,
        key: Option<String>,
        message: String,
    ) -> ConfigError {
        let path = self.path.into();
        let Some(span) = span else {
            return ConfigError::File { path, message };
        };
        let (line, snippet) = snippet(self.text, span);
        ConfigError::At {
            path,
            key,
            line,
            message,
            snippet,
        }
    }

    /// Locates a problem: the override that set the value, the value in the file, or the table that lacks it.
    fn problem(&self, problem: KeyError, sets: &[String]) -> ConfigError {
        let KeyError { key, message } = problem;
        // An override of a table sets all of its values.
        let sets_key = |set_key: &str| {
            let rest = key.strip_prefix(set_key.trim());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let set = sets.iter().rev().find(|set| {
            set.split_once('=')
                .is_some_and(|(set_key, _)| sets_key(set_key))
        });
        match set {
            Some(set) => ConfigError::Override {
                text: set.clone(),
                message,
            },
            None => self.at(span_of(self.text, &key), Some(key), message),
        }
    }
}

/// The position of a key's value, or of the innermost table on its path that exists.
fn span_of(text: &str, key: &str) -> Option<std::ops::Range<usize>> {
    let document = DeTable::parse(text).ok()?;
    let mut table = document.get_ref();
    let mut found = None;
    let mut keys = key.split('.');
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
