//! Helpers for files and folders: numbered lines, sorted entries, memory maps, and errors that name the file.

mod error;
#[cfg(feature = "formats")]
mod mapped;

#[cfg(feature = "formats")]
use std::fs::{self, File};
#[cfg(feature = "formats")]
use std::io::{BufRead, BufReader};
#[cfg(feature = "formats")]
use std::path::{Path, PathBuf};

pub use error::FileError;
#[cfg(feature = "formats")]
pub(crate) use mapped::{Mapped, map};

/// The non-empty lines of a text file, with their numbers.
#[cfg(feature = "formats")]
pub(crate) fn lines(
    path: &Path,
) -> Result<impl Iterator<Item = Result<(u64, String), FileError>>, FileError> {
    let file = File::open(path).map_err(FileError::io(path))?;
    let numbered = (1..).zip(BufReader::new(file).lines());
    Ok(numbered
        .map(move |(number, line)| match line {
            Ok(line) => Ok((number, line)),
            Err(error) => Err(FileError::line(path, number, error.to_string())),
        })
        .filter(|line| !matches!(line, Ok((_, line)) if line.trim().is_empty())))
}

/// The entries of a folder, sorted by name. The system's order differs between machines.
#[cfg(feature = "formats")]
pub(crate) fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let entries = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(FileError::io(folder));
    let mut paths: Vec<PathBuf> = entries?;
    paths.sort();
    Ok(paths)
}

/// The extension of a file name, in lower case.
#[cfg(feature = "formats")]
pub(crate) fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_ascii_lowercase()
}
