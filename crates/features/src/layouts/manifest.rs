//! A plain list of files: CSV with a line of names first, or a JSON object a line.
//!
//! `id` and `path` are needed; `labels` (a file), `text` and `speaker` are not. Relative paths are from the
//! manifest's own folder, so that a corpus can be moved with its manifest.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::gathering::Sources;
use super::source::Source;
use crate::files::{FileError, extension, lines};

/// A line, whichever way it is written. An unknown name is refused: it is a known one misspelt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    path: PathBuf,
    labels: Option<PathBuf>,
    text: Option<String>,
    speaker: Option<String>,
}

/// The utterances of a manifest: JSON lines in a file named `*.jsonl` or `*.json`, CSV in any other.
pub fn manifest(path: impl AsRef<Path>) -> Result<Vec<Source>, FileError> {
    let path = path.as_ref();
    let entries = match extension(path).as_str() {
        "jsonl" | "json" => from_json_lines(path)?,
        _ => from_csv(path)?,
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut sources = Sources::default();
    for (number, entry) in entries {
        if entry.id.trim().is_empty() {
            return Err(FileError::line(path, number, "an empty id"));
        }
        let source = Source {
            id: entry.id,
            audio: folder.join(entry.path),
            labels: entry.labels.map(|labels| folder.join(labels)),
            speaker: entry.speaker,
            text: entry.text,
        };
        sources.add(path, number, source)?;
    }
    sources.finish(path, "no utterance in this manifest")
}

fn from_json_lines(path: &Path) -> Result<Vec<(u64, Entry)>, FileError> {
    lines(path)?
        .map(|line| {
            let (number, line) = line?;
            let entry = serde_json::from_str(&line).map_err(|error| {
                // The parser counts lines of what it is given, which is always its first.
                let said = error.to_string();
                let said = said.split(" at line ").next().unwrap_or_default();
                let reason = format!("column {}: {said}", error.column());
                FileError::line(path, number, reason)
            })?;
            Ok((number, entry))
        })
        .collect()
}

fn from_csv(path: &Path) -> Result<Vec<(u64, Entry)>, FileError> {
    let file = std::fs::File::open(path).map_err(FileError::io(path))?;
    let mut reader = csv::Reader::from_reader(file);
    let fault = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        let reason = match error.kind() {
            csv::ErrorKind::Deserialize { err, .. } => err.to_string(),
            csv::ErrorKind::UnequalLengths {
                expected_len, len, ..
            } => format!("{len} fields where the first line has {expected_len}"),
            csv::ErrorKind::Utf8 { .. } => "text that is not UTF-8".to_string(),
            _ => error.to_string(),
        };
        FileError::line(path, line, reason)
    };
    let headers = reader.headers().map_err(fault)?.clone();
    reader
        .records()
        .map(|record| {
            let record = record.map_err(fault)?;
            let line = record.position().map_or(1, csv::Position::line);
            let entry = record.deserialize(Some(&headers)).map_err(fault)?;
            Ok((line, entry))
        })
        .collect()
}
