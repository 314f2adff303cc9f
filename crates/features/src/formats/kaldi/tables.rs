//! Tables of a key and the rest of the line: `utt2spk`, `text`, and script files, which say where objects are.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::files::{self, FileError};

/// Where an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The key.
    pub key: String,
    /// The file.
    pub path: PathBuf,
    /// The byte where the object begins.
    pub offset: u64,
    /// The first and the last row, where only some are meant.
    pub rows: Option<(usize, usize)>,
}

/// The lines of a table: line number, key, rest. A key may come once.
fn read_lines(path: &Path) -> Result<Vec<(u64, String, String)>, FileError> {
    let mut lines = Vec::new();
    let mut seen: HashMap<String, u64> = HashMap::new();
    for line in files::lines(path)? {
        let (number, line) = line?;
        let line = line.trim();
        let (key, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if let Some(earlier) = seen.insert(key.to_string(), number) {
            let reason = format!("{key} is on line {earlier} already");
            return Err(FileError::line(path, number, reason));
        }
        lines.push((number, key.to_string(), rest.trim_start().to_string()));
    }
    Ok(lines)
}

/// A table as a map from keys to the rest of their lines.
pub fn read_table(path: impl AsRef<Path>) -> Result<HashMap<String, String>, FileError> {
    let lines = read_lines(path.as_ref())?.into_iter();
    Ok(lines.map(|(_, key, rest)| (key, rest)).collect())
}

/// Reads a script file. A relative path is taken as Kaldi takes it, from the working directory, or from the script
/// file's folder if there is nothing.
pub fn read_scp(path: impl AsRef<Path>) -> Result<Vec<Place>, FileError> {
    let path = path.as_ref();
    let place = |(line, key, rest): (u64, String, String)| {
        let mut place = parse(key, &rest).map_err(|reason| FileError::line(path, line, reason))?;
        let beside = path.parent().unwrap_or(path).join(&place.path);
        if !place.path.exists() && beside.exists() {
            place.path = beside;
        }
        Ok(place)
    };
    read_lines(path)?.into_iter().map(place).collect()
}

/// `file`, `file:offset`, and either with `[first:last]` after it.
fn parse(key: String, place: &str) -> Result<Place, String> {
    let place = place.trim();
    if place.is_empty() {
        return Err("a key without a place".into());
    }
    if place.ends_with('|') || place.starts_with('|') {
        return Err("a command in place of a file: run it, and name the file it makes".into());
    }
    let (place, rows) = match place.strip_suffix(']').and_then(|p| p.rsplit_once('[')) {
        None => (place, None),
        Some((place, range)) => {
            let rows = range
                .split_once(':')
                .and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)))
                .filter(|(first, last): &(usize, usize)| first <= last)
                .ok_or_else(|| format!("the range [{range}]: only rows, [first:last], are read"))?;
            (place, Some(rows))
        }
    };
    let is_offset = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (file, offset) = match place.rsplit_once(':') {
        Some((file, offset)) if is_offset(offset) => (file, offset),
        _ => (place, "0"),
    };
    let no_place = |_| format!("the offset {offset} is no place in any file");
    Ok(Place {
        key,
        path: file.into(),
        offset: offset.parse().map_err(no_place)?,
        rows,
    })
}
