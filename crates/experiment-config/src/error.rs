//! Config errors: the file, the line, what is wrong and what to write instead.

use std::ops::Range;
use std::path::PathBuf;

use padwise_sampler::excerpt::{MAX_EXCERPT, excerpt, is_unprintable};
use padwise_sampler::suggestion::suggest;
use thiserror::Error;

/// Why a config was rejected.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A line of the file is wrong.
    #[error("{}:{line}: {message}\n{snippet}", .path.display())]
    At {
        /// The file.
        path: PathBuf,
        /// The full key, for example `train.epochs`; none if the file is not valid TOML.
        key: Option<String>,
        /// The line number, from 1.
        line: usize,
        /// What is wrong and what to write instead.
        message: String,
        /// The text of the line, with the position marked.
        snippet: String,
    },
    /// Something is missing from the file.
    #[error("{}: {message}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// An override (`--set KEY=VALUE`) is wrong.
    #[error("--set {}: {message}", excerpt(.text))]
    Override {
        /// The override as passed.
        text: String,
        /// What is wrong.
        message: String,
    },
}

/// What is wrong with the value of a key.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct KeyError {
    /// The full key: `train.epochs`, or `strategy.0.line` for the first strategy.
    pub key: String,
    /// What is wrong and what to write instead.
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

/// The line number of a span, from 1, and the text of that line with the span marked below it. Shows the part of a long line
/// around the span.
pub(crate) fn snippet(text: &str, span: Range<usize>) -> (usize, String) {
    let start = span.start.min(text.len());
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let number = text[..line_start].matches('\n').count() + 1;
    let (before, after) = (&text[line_start..start], &text[start..line_end]);
    // One character for one, so that the marks stay below the span.
    let shown = |c: char| if is_unprintable(c) { '\u{fffd}' } else { c };
    let skipped = before.chars().count().saturating_sub(MAX_EXCERPT / 2);
    let before: String = before.chars().skip(skipped).map(shown).collect();
    let before = if skipped > 0 {
        format!("…{before}")
    } else {
        before
    };
    let mut line: String = after
        .trim_end()
        .chars()
        .take(MAX_EXCERPT)
        .map(shown)
        .collect();
    if after.trim_end().chars().nth(MAX_EXCERPT).is_some() {
        line.push('…');
    }
    let marked = text[start..span.end.clamp(start, line_end)].chars().count();
    let margin = " ".repeat(number.to_string().len());
    let marks = "^".repeat(marked.clamp(1, line.chars().count().max(1)));
    let place = " ".repeat(before.chars().count());
    let line = format!("{before}{line}");
    (
        number,
        format!(
            "{margin} |\n{number} | {}\n{margin} | {place}{marks}",
            line.trim_end()
        ),
    )
}

/// Rewords an error of the TOML reader for users and adds the name that was most likely meant.
///
/// The reader puts names in backticks, the wrong one first, or lists keys after a colon.
pub(crate) fn with_suggestion(message: &str) -> String {
    let message = message.trim_end();
    if let Some(rest) = message.strip_prefix("unexpected keys in table: ")
        && let Some((wrong, valid)) = rest.split_once(", available keys: ")
    {
        return unknown_key(wrong, &valid.split(", ").collect::<Vec<_>>());
    }
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if let Some((wrong, valid)) = names.split_first() {
        if message.starts_with("unknown field ") {
            return unknown_key(wrong, valid);
        }
        if let Some(rest) = message.strip_prefix("unknown variant ") {
            let hint = did_you_mean(wrong, valid).map(|hint| format!("; {hint}"));
            let rest = rest.replacen(wrong, &excerpt(wrong), 1);
            return format!("unknown value {rest}{}", hint.unwrap_or_default());
        }
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        return format!("missing key {rest}");
    }
    with_plain_type(message)
}

fn unknown_key(wrong: &str, valid: &[&str]) -> String {
    let hint = did_you_mean(wrong, valid)
        .unwrap_or_else(|| format!("expected one of `{}`", valid.join("`, `")));
    format!("unknown key `{}`, {hint}", excerpt(wrong))
}

fn did_you_mean(wrong: &str, valid: &[&str]) -> Option<String> {
    suggest(wrong, valid).map(|name| format!("did you mean `{name}`?"))
}

/// Replaces the name of a Rust type by a description that every user understands.
fn with_plain_type(message: &str) -> String {
    let Some((what, kind)) = message.rsplit_once(", expected ") else {
        return excerpt(message);
    };
    let kind = match kind {
        "usize" | "u64" => "an integer of at least 0",
        "u32" => "an integer from 0 to 4294967295",
        "f64" | "f32" => "a number",
        "a string" => "text in quotes",
        other => other,
    };
    format!("{}, expected {}", excerpt(what), excerpt(kind))
}
