//! Tables with a key and a value per line: `utt2spk`, `text` and script files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::files::{self, FileError};

/// Position of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Key of the object.
    pub key: String,
    /// File that contains it.
    pub path: PathBuf,
    /// Offset in bytes.
    pub offset: u64,
    /// First and last row, if only some rows are selected.
    pub rows: Option<(usize, usize)>,
}

/// The lines of a table: line number, key, value. Keys are unique.
fn read_lines(path: &Path) -> Result<Vec<(u64, String, String)>, FileError> {
    let mut lines = Vec::new();
    let mut seen: HashMap<String, u64> = HashMap::new();
    for line in files::lines(path)? {
        let (number, line) = line?;
        let line = line.trim();
        let (key, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if let Some(earlier) = seen.insert(key.to_string(), number) {
            let reason = format!("duplicate key {key}, already on line {earlier}");
            return Err(FileError::line(path, number, reason));
        }
        lines.push((number, key.to_string(), rest.trim_start().to_string()));
    }
    Ok(lines)
}

/// Reads a table into a map from keys to values.
pub fn read_table(path: impl AsRef<Path>) -> Result<HashMap<String, String>, FileError> {
    let lines = read_lines(path.as_ref())?.into_iter();
    Ok(lines.map(|(_, key, rest)| (key, rest)).collect())
}

/// Reads a script file. As in Kaldi, relative paths start at the working directory. If there is no such file, they start
/// at the folder of the script file.
pub fn read_scp(path: impl AsRef<Path>) -> Result<Vec<Place>, FileError> {
    let path = path.as_ref();
    let place = |(line, key, rest): (u64, String, String)| {
        let mut place = parse(key, &rest).map_err(|reason| FileError::line(path, line, reason))?;
        let in_scp_folder = path.parent().unwrap_or(path).join(&place.path);
        if !place.path.exists() && in_scp_folder.exists() {
            place.path = in_scp_folder;
        }
        Ok(place)
    };
    read_lines(path)?.into_iter().map(place).collect()
}

/// Parses `file` or `file:offset`, optionally followed by `[first:last]`.
fn parse(key: String, place: &str) -> Result<Place, String> {
    let place = place.trim();
    if place.is_empty() {
        return Err("no file after the key".into());
    }
    if place.ends_with('|') || place.starts_with('|') {
        return Err(
            "commands are not supported: run the command, and list the file it writes".into(),
        );
    }
    let (place, rows) = match place.strip_suffix(']').and_then(|p| p.rsplit_once('[')) {
        None => (place, None),
        Some((place, range)) => {
            let rows = range
                .split_once(':')
                .and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)))
                .filter(|(first, last): &(usize, usize)| first <= last)
                .ok_or_else(|| {
                    format!("unsupported range [{range}]: expected rows, [first:last]")
                })?;
            (place, Some(rows))
        }
    };
    let is_offset = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (file, offset) = match place.rsplit_once(':') {
        Some((file, offset)) if is_offset(offset) => (file, offset),
        _ => (place, "0"),
    };
    let no_place = |_| format!("offset {offset} is too large");
    Ok(Place {
        key,
        path: file.into(),
        offset: offset.parse().map_err(no_place)?,
        rows,
    })
}
