//! What is wrong with a config: the file, the line, the value, and what would be right.

use std::ops::Range;
use std::path::PathBuf;

use padwise_sampler::suggestion::suggest;
use thiserror::Error;

/// A config that no experiment can be made of.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A place in the file is at fault.
    #[error("{}:{line}: {message}\n{snippet}", .path.display())]
    At {
        /// The file.
        path: PathBuf,
        /// The key that is at fault, with its tables before it, where the file can be read at all.
        key: Option<String>,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what would be right.
        message: String,
        /// The line itself, with the place marked.
        snippet: String,
    },
    /// Something is missing that has no place in the file.
    #[error("{}: {message}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// An override is at fault.
    #[error("--set {text}: {message}")]
    Override {
        /// The override as given.
        text: String,
        /// What is wrong.
        message: String,
    },
}

/// What is wrong with the value of a key.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct KeyError {
    /// The key, with its tables before it: `train.epochs`; rows by their number: `strategy.0.line`.
    pub key: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl KeyError {
    pub(crate) fn new(key: impl Into<String>, message: impl ToString) -> Self {
        KeyError {
            key: key.into(),
            message: message.to_string(),
        }
    }
}

/// The line number of a place in a text, from 1, and the line with the place marked below it.
pub(crate) fn snippet(text: &str, span: Range<usize>) -> (usize, String) {
    let start = span.start.min(text.len());
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let number = text[..line_start].matches('\n').count() + 1;
    let line = text[line_start..line_end].trim_end();
    let before = text[line_start..start].chars().count();
    let marked = text[start..span.end.clamp(start, line_end)].chars().count();
    let margin = " ".repeat(number.to_string().len());
    let marks = "^".repeat(marked.max(1));
    let place = " ".repeat(before);
    (
        number,
        format!("{margin} |\n{number} | {line}\n{margin} | {place}{marks}"),
    )
}

/// A message of the TOML reader with the name that was most likely meant: it puts names in backticks, the wrong one first, or
/// lists keys after a colon.
pub(crate) fn with_suggestion(message: &str) -> String {
    let message = &in_plain_words(message.trim_end());
    let (wrong, valid): (&str, Vec<&str>) =
        if let Some(rest) = message.strip_prefix("unexpected keys in table: ") {
            let Some((wrong, valid)) = rest.split_once(", available keys: ") else {
                return message.into();
            };
            (wrong, valid.split(", ").collect())
        } else {
            let mut names = message.split('`').skip(1).step_by(2);
            let Some(wrong) = names.next() else {
                return message.into();
            };
            (wrong, names.collect())
        };
    match suggest(wrong, &valid) {
        Some(name) => format!("{message}; did you mean `{name}`?"),
        None => message.into(),
    }
}

/// What a Rust programmer would call the type, as anybody would.
fn in_plain_words(message: &str) -> String {
    let Some((what, kind)) = message.rsplit_once(", expected ") else {
        return message.into();
    };
    let kind = match kind {
        "usize" | "u64" => "a whole number of at least 0",
        "u32" => "a whole number from 0 to 4294967295",
        "f64" | "f32" => "a number",
        other => other,
    };
    format!("{what}, expected {kind}")
}
