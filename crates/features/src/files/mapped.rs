//! Files mapped into memory.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a file that nobody changes while it is mapped: a pack, which is renamed into place whole, or an unfinished
/// one, which its writer has locked.
#[allow(
    unsafe_code,
    reason = "another process could change a mapped file; packs are never changed once they have their name"
)]
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    unsafe { Mmap::map(file) }
}
