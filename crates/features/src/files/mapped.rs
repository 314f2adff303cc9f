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
    // SAFETY: the bytes must not change while they are mapped. padwise never changes a pack: it writes a new file and
    // renames it, and replacing a name leaves the mapped file alone. Another program may break this promise. Readers
    // therefore copy numbers out of the map, check every offset, and check strings to be UTF-8 at each use. Changed
    // bytes give wrong numbers. A file cut short while it is mapped ends the process with SIGBUS, which SECURITY.md states.
    unsafe { Mmap::map(file) }
}
