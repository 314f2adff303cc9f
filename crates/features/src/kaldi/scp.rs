//! Script files: where the object of each key is.

use std::path::{Path, PathBuf};

use super::KaldiError;
use super::tables::read_lines;

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
    /// The line of the script file.
    pub line: usize,
}

/// Reads a script file. A relative path is taken as Kaldi takes it, from the working directory, or from the script
/// file's folder if there is nothing.
pub fn read_scp(path: impl AsRef<Path>) -> Result<Vec<Place>, KaldiError> {
    let path = path.as_ref();
    let lines = read_lines(path)?;
    lines
        .into_iter()
        .map(|(line, key, rest)| {
            let fault = |reason: String| KaldiError::Line {
                path: path.to_path_buf(),
                line,
                reason,
            };
            let (file, offset, rows) = parse(&rest).map_err(fault)?;
            let beside = path.parent().map(|folder| folder.join(file));
            let file = PathBuf::from(file);
            let file = match beside {
                Some(beside) if !file.exists() && beside.exists() => beside,
                _ => file,
            };
            Ok(Place {
                key,
                path: file,
                offset,
                rows,
                line,
            })
        })
        .collect()
}

type Parsed<'a> = (&'a str, u64, Option<(usize, usize)>);

/// `file`, `file:offset`, and either with `[first:last]` after it.
fn parse(place: &str) -> Result<Parsed<'_>, String> {
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
    match place.rsplit_once(':') {
        Some((file, offset))
            if !offset.is_empty() && offset.bytes().all(|b| b.is_ascii_digit()) =>
        {
            let offset = offset
                .parse()
                .map_err(|_| format!("the offset {offset} is no place in any file"))?;
            Ok((file, offset, rows))
        }
        _ => Ok((place, 0, rows)),
    }
}
