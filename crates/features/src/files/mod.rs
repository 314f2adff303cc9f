//! Files and folders: lines with their numbers, names in a fixed order, mapped bytes, and errors that name the file.

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
pub(crate) use mapped::map;

#[cfg(feature = "formats")]
/// The lines of a text file that are not empty, with their numbers.
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

#[cfg(feature = "formats")]
/// What is in a folder, by name: the system's own order is another one on every machine.
pub(crate) fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let entries = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(FileError::io(folder));
    let mut paths: Vec<PathBuf> = entries?;
    paths.sort();
    Ok(paths)
}

#[cfg(feature = "formats")]
/// The ending of a file's name, in small letters.
pub(crate) fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_ascii_lowercase()
}
