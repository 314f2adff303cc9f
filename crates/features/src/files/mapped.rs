//! Memory-mapped files.

use std::fs::File;
use std::io;

/// The bytes of a mapped file. Miri cannot map files, so there they are read into memory.
#[cfg(not(miri))]
pub(crate) type Mapped = memmap2::Mmap;
#[cfg(miri)]
pub(crate) type Mapped = Vec<u8>;

/// Maps a file that must not change while it is mapped. Finished packs are never modified, and unfinished ones are locked
/// by their writer.
#[cfg(not(miri))]
#[allow(
    unsafe_code,
    reason = "another process could change a mapped file; packs are never changed once they have their name"
)]
pub(crate) fn map(file: &File) -> io::Result<Mapped> {
    // SAFETY: the bytes must not change while they are mapped. padwise never changes a pack: it writes a new file and
    // renames it, and replacing a name leaves the mapped file alone. Another program may break this promise. Readers
    // therefore copy numbers out of the map, check every offset, and check strings to be UTF-8 at each use. Changed
    // bytes give wrong numbers. A file cut short while it is mapped ends the process with SIGBUS, which SECURITY.md states.
    unsafe { Mapped::map(file) }
}

#[cfg(miri)]
pub(crate) fn map(mut file: &File) -> io::Result<Mapped> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut file, &mut bytes)?;
    Ok(bytes)
}
