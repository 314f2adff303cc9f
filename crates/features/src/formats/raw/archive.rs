//! Entries of a `.tar.xz`, with limits on sizes and names.

use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use tar::EntryType;

use super::xz;
use crate::files::{FileError, Limits, bytes_text, decoded_bytes, open_regular};

/// Maximum size of a name in the archive in bytes.
const LONGEST_NAME: u64 = 1 << 16;

/// Calls `read` with the path, size and content of every file in the archive.
pub(super) fn for_each_file(
    path: &Path,
    limits: &Limits,
    mut read: impl FnMut(&Path, u64, &mut dyn Read) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let file = open_regular(path)?;
    let packed = file.metadata().map_err(FileError::io(path))?.len();
    let mut file = BufReader::new(file);
    let size = xz::uncompressed_size(&mut file).map_err(refused(path))?;
    let limit = limits.unpacked_bytes.unwrap_or(decoded_bytes(packed));
    if size > limit {
        let reason = format!(
            "unpacks to {}, but the limit is {}: raise --max-unpacked-gb if the archive is not damaged",
            bytes_text(size),
            bytes_text(limit)
        );
        return Err(FileError::content(path, reason));
    }
    file.rewind().map_err(FileError::io(path))?;
    let unpacked = lzma_rust2::XzReader::new(file, true).take(limit);
    let mut archive = tar::Archive::new(unpacked);
    let mut long_name = None;
    // Raw entries include those that only give the name of the next, whose size must be checked first.
    for entry in archive.entries().map_err(refused(path))?.raw(true) {
        let mut entry = entry.map_err(refused(path))?;
        match entry.header().entry_type() {
            kind @ (EntryType::GNULongName | EntryType::XHeader) => {
                if entry.size() > LONGEST_NAME {
                    let found = entry.size();
                    let reason = format!(
                        "a name of {found} bytes in the archive: at most {LONGEST_NAME} are supported"
                    );
                    return Err(FileError::content(path, reason));
                }
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).map_err(refused(path))?;
                long_name = match kind {
                    EntryType::GNULongName => Some(bytes),
                    _ => path_in_extensions(&bytes).or(long_name),
                };
            }
            EntryType::Regular => {
                let name = match long_name.take() {
                    Some(name) => {
                        let name = String::from_utf8_lossy(&name);
                        PathBuf::from(name.trim_end_matches('\0'))
                    }
                    None => entry.path().map_err(refused(path))?.into_owned(),
                };
                let size = entry.size().min(size);
                read(&name, size, &mut entry)?;
            }
            _ => long_name = None,
        }
    }
    Ok(())
}

/// The path that a POSIX header gives the next file.
fn path_in_extensions(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut extensions = tar::PaxExtensions::new(bytes).flatten();
    let path = extensions.find(|extension| extension.key_bytes() == b"path")?;
    Some(path.value_bytes().to_vec())
}

/// An error of reading the archive. Damage is an error of the content, not of the machine.
fn refused(path: &Path) -> impl FnOnce(io::Error) -> FileError {
    move |error| match error.raw_os_error() {
        Some(_) => FileError::io(path)(error),
        None => FileError::content(path, error.to_string()),
    }
}
