//! Reads the files of results folders and documents: regular files of limited size.

use std::io;
use std::path::Path;

use padwise_experiment_config::{read_bounded, read_bounded_text};

use super::ReadError;

/// The largest table or document that is read. A line of `epochs.csv` has about 300 bytes.
pub(crate) const MAX_TABLE_BYTES: u64 = 1 << 30;

/// The content of a file.
pub(crate) fn bytes_of(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    read_bounded(path, limit).map_err(reading(path))
}

/// The text of a file.
pub(crate) fn text_of(path: &Path, limit: u64) -> Result<String, ReadError> {
    read_bounded_text(path, limit).map_err(reading(path))
}

/// The content of a file that may be missing.
pub(super) fn optional(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
    match read_bounded(path, limit) {
        Ok(content) => Ok(Some(content)),
        // A link to a missing file is damage.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => Ok(None),
        Err(error) => Err(reading(path)(error)),
    }
}

pub(super) fn reading<E: ToString>(path: &Path) -> impl Fn(E) -> ReadError {
    move |error| ReadError::File {
        path: path.into(),
        problem: error.to_string(),
    }
}
