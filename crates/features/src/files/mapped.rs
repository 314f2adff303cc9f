//! Memory-mapped files.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a file that does not change while it is mapped: a finished pack, which is complete before it gets its name, or an unfinished one,
/// which its writer has locked.
#[allow(
    unsafe_code,
    reason = "another process could change a mapped file; packs are never changed once they have their name"
)]
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    unsafe { Mmap::map(file) }
}
