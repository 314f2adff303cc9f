//! Writes files of a results folder: atomically or in place, and never through a symbolic link.
//!
//! A results folder may come from someone else. A link in it could point to any file of the user, so a link is replaced or refused.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use padwise_report::files;

use super::RecordError;

/// Replaces a file atomically. A symbolic link of this name is replaced; its target stays as it is.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), RecordError> {
    files::replace(path, content).map_err(RecordError::writing(path))
}

/// Opens a file with these options, unless it is a symbolic link, a pipe or a device.
pub fn open_in_place(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other(
            "not a regular file: padwise writes to no link, pipe or device; remove it",
        ));
    }
    // The check above explains; this flag also holds if a link appears in between.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NOFOLLOW);
    options.open(path)
}

/// Creates a folder and its parents. Refuses a symbolic link in its place.
pub fn create_folder(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_dir()) {
        return Err(io::Error::other(
            "not a folder: padwise writes to no link; remove it",
        ));
    }
    fs::create_dir_all(path)
}
