//! Manifests: lists of audio files or feature files, as CSV with a header line or as JSON lines.
//!
//! Besides padwise's own columns, the names of NeMo's manifests and Lhotse's cuts are accepted. Relative paths start at the
//! folder of the manifest, so a corpus can be moved together with its manifest.

mod columns;
mod json;
mod lhotse;
mod row;
mod table;

use std::path::Path;

use self::columns::{AUDIO_NAMES, Column, Columns};
pub use self::json::{json_object, json_text};
use self::row::Row;
use super::gathering::{MissingFiles, Sources};
use super::row_filter::{RowFilter, RowSelection};
use super::source::Source;
use crate::files::{FileError, extension};

/// The utterances of a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The utterances, in the order of the file.
    pub sources: Vec<Source>,
    /// Whether the files contain features (`.npy`) instead of audio.
    pub has_features: bool,
    /// What a user should know: ignored columns, for example. One line each.
    pub notes: Vec<String>,
}

/// Reads the rows of a manifest that meet all conditions. The manifest contains JSON lines if the file is named `*.jsonl` or
/// `*.json`, otherwise CSV.
pub fn manifest(
    path: impl AsRef<Path>,
    filters: &[RowFilter],
    missing: MissingFiles,
) -> Result<Manifest, FileError> {
    let path = path.as_ref();
    let mut columns = Columns::new(filters);
    let mut selection = RowSelection::new(filters);
    let rows = match extension(path).as_str() {
        "gz" => return Err(compressed(path)),
        "jsonl" | "json" => json::rows(path, &mut columns, &mut selection)?,
        _ => table::rows(path, &mut columns, &mut selection)?,
    };
    if rows.is_empty() && selection.rows() > 0 {
        return Err(FileError::content(path, selection.nothing_left()));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut sources = Sources::new(missing);
    let mut first: Option<(u64, bool)> = None;
    for mut row in rows {
        let line = row.line;
        let (source, has_features) =
            source(&mut row, folder).map_err(|reason| FileError::line(path, line, reason))?;
        match first {
            Some((earlier, other)) if other != has_features => {
                let [this, that] =
                    [has_features, other].map(|f| if f { ".npy features" } else { "audio" });
                let reason = format!(
                    "{this}, but line {earlier} is {that}: write two manifests, or select rows with --where"
                );
                return Err(FileError::line(path, line, reason));
            }
            Some(_) => {}
            None => first = Some((line, has_features)),
        }
        sources.add(path, line, source)?;
    }
    Ok(Manifest {
        sources: sources.finish(path, "the manifest lists no utterances")?,
        has_features: first.is_some_and(|(_, has_features)| has_features),
        notes: columns.notes(),
    })
}

/// The utterance of a row, and whether its file contains features.
fn source(row: &mut Row, folder: &Path) -> Result<(Source, bool), String> {
    let audio = row
        .take(Column::Audio)
        .ok_or_else(|| format!("no audio file: expected {AUDIO_NAMES}"))?;
    let has_features = extension(Path::new(&audio)) == "npy";
    let segment = row.segment()?;
    if segment.is_some() && has_features {
        return Err("a start in a .npy file: only audio files have segments".into());
    }
    let id = match row.take(Column::Id) {
        Some(id) => id,
        None if row.has_id => return Err("empty id".into()),
        None => row::default_id(&audio, segment, folder),
    };
    let source = Source {
        id,
        segment,
        audio: folder.join(audio),
        labels: row.take(Column::Labels).map(|labels| folder.join(labels)),
        speaker: row.take(Column::Speaker),
        text: row.take(Column::Text),
    };
    Ok((source, has_features))
}

fn compressed(path: &Path) -> FileError {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unpacked = name.trim_end_matches(".gz").trim_end_matches(".GZ");
    let reason = format!("compressed: run `gunzip -k {name}`, then pass {unpacked}");
    FileError::content(path, reason)
}
