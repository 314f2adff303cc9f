//! Helpers for files and folders: regular files, numbered lines, sorted entries, memory maps, and errors that name the
//! file.

mod error;
mod limits;
#[cfg(feature = "formats")]
mod lines;
#[cfg(feature = "formats")]
mod mapped;
mod regular;

#[cfg(feature = "formats")]
use std::fs;
#[cfg(feature = "formats")]
use std::path::{Path, PathBuf};

pub use error::FileError;
pub use limits::Limits;
#[cfg(any(feature = "audio", feature = "raw", feature = "synthetic"))]
pub(crate) use limits::bytes_text;
#[cfg(any(feature = "audio", feature = "raw"))]
pub(crate) use limits::decoded_bytes;
#[cfg(feature = "layouts")]
pub(crate) use lines::LimitedLines;
#[cfg(feature = "formats")]
pub(crate) use lines::{line, lines};
#[cfg(feature = "formats")]
pub(crate) use mapped::{Mapped, map};
pub use regular::{open_regular, read_regular, read_text};

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
