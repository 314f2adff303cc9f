//! Opens regular files only, and reads them up to a maximum size.
//!
//! Reading a FIFO or a device can block forever or never end, so everything that reads a corpus opens files here.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::error::FileError;

/// Opens a file for reading. FIFOs, sockets, devices and folders are errors, reported without opening them.
pub fn open_regular(path: impl AsRef<Path>) -> Result<File, FileError> {
    let path = path.as_ref();
    check(path, &fs::metadata(path).map_err(FileError::io(path))?)?;
    let file = File::open(path).map_err(FileError::io(path))?;
    // The file may have been replaced between the two calls.
    check(path, &file.metadata().map_err(FileError::io(path))?)?;
    Ok(file)
}

/// Reads a whole regular file of at most `limit` bytes.
pub fn read_regular(path: impl AsRef<Path>, limit: u64) -> Result<Vec<u8>, FileError> {
    let path = path.as_ref();
    let file = open_regular(path)?;
    let size = file.metadata().map_err(FileError::io(path))?.len();
    let too_large = |size: u64| {
        let reason = format!("{size} bytes: at most {limit} are supported for this kind of file");
        Err(FileError::content(path, reason))
    };
    if size > limit {
        return too_large(size);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    match read.map_err(FileError::io(path))? as u64 {
        // The file has grown meanwhile.
        size if size > limit => too_large(size),
        _ => Ok(bytes),
    }
}

/// Reads a regular file of at most `limit` bytes, which must be UTF-8.
pub fn read_text(path: impl AsRef<Path>, limit: u64) -> Result<String, FileError> {
    let path = path.as_ref();
    let bytes = read_regular(path, limit)?;
    String::from_utf8(bytes).map_err(|_| FileError::content(path, "not valid UTF-8"))
}

fn check(path: &Path, metadata: &fs::Metadata) -> Result<(), FileError> {
    if metadata.is_file() {
        return Ok(());
    }
    let kind = kind(metadata.file_type());
    let reason = format!("{kind}: expected a regular file");
    Err(FileError::content(path, reason))
}

#[cfg(unix)]
fn kind(found: fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match found {
        found if found.is_dir() => "a folder",
        found if found.is_fifo() => "a FIFO (named pipe)",
        found if found.is_socket() => "a socket",
        found if found.is_char_device() => "a character device",
        found if found.is_block_device() => "a block device",
        _ => "not a regular file",
    }
}

#[cfg(not(unix))]
fn kind(found: fs::FileType) -> &'static str {
    if found.is_dir() {
        "a folder"
    } else {
        "a device"
    }
}
