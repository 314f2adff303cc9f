//! Memory-mapped files.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a file that must not change while it is mapped. Finished packs are never modified, and unfinished ones are locked
/// by their writer.
#[allow(
    unsafe_code,
    reason = "another process could change a mapped file; packs are never changed once they have their name"
)]
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    unsafe { Mmap::map(file) }
}
