//! Manifests: lists of audio files as CSV with a header line, or as JSON lines.
//!
//! `id` and `path` are required; `labels` (a file), `text` and `speaker` are optional. Relative paths start at the folder
//! of the manifest, so a corpus can be moved together with its manifest.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::gathering::{MissingFiles, Sources};
use super::source::Source;
use crate::files::{FileError, LimitedLines, extension, lines, open_regular};

/// A line in either format. Unknown keys are rejected: they are likely misspelt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    path: PathBuf,
    labels: Option<PathBuf>,
    text: Option<String>,
    speaker: Option<String>,
}

/// Lists the utterances of a manifest: JSON lines if the file is named `*.jsonl` or `*.json`, otherwise CSV.
pub fn manifest(path: impl AsRef<Path>, missing: MissingFiles) -> Result<Vec<Source>, FileError> {
    let path = path.as_ref();
    let entries = match extension(path).as_str() {
        "jsonl" | "json" => from_json_lines(path)?,
        _ => from_csv(path)?,
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut sources = Sources::new(missing);
    for (number, entry) in entries {
        if entry.id.trim().is_empty() {
            return Err(FileError::line(path, number, "empty id"));
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
    sources.finish(path, "the manifest lists no utterances")
}

fn from_json_lines(path: &Path) -> Result<Vec<(u64, Entry)>, FileError> {
    lines(path)?
        .map(|line| {
            let (number, line) = line?;
            let entry = serde_json::from_str(&line).map_err(|error| {
                // The parser sees a single line, so its line number is always 1.
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
    let mut reader = csv::Reader::from_reader(LimitedLines::new(open_regular(path)?));
    let fault = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        let reason = match error.kind() {
            csv::ErrorKind::Deserialize { err, .. } => err.to_string(),
            csv::ErrorKind::UnequalLengths {
                expected_len, len, ..
            } => format!("{len} fields, but the header line has {expected_len}"),
            csv::ErrorKind::Io(error) => error.to_string(),
            csv::ErrorKind::Utf8 { .. } => "not valid UTF-8".to_string(),
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
