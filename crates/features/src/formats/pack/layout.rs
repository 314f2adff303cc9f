//! The 64-byte preamble, and alignment.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::error::Damage;
use crate::files::FileError;

const MAGIC: [u8; 8] = *b"PADPACK\n";
const VERSION: u32 = 1;
pub(super) const PREAMBLE: usize = 64;
/// Alignment of records: a cache line, and enough for any vector load from a mapped file.
pub(super) const ALIGNMENT: usize = 64;
/// Length of the preamble that is written at the start; the rest is filled in when the pack is sealed.
pub(super) const UNSEALED: usize = 24;

/// The little-endian u32 at this offset; 0 past the end, which no caller reads.
pub(super) fn u32_at(bytes: &[u8], place: usize) -> u32 {
    let bytes = bytes.get(place..).and_then(|rest| rest.first_chunk());
    bytes.map_or(0, |number| u32::from_le_bytes(*number))
}

/// The little-endian u64 at this offset; 0 past the end.
pub(super) fn u64_at(bytes: &[u8], place: usize) -> u64 {
    let bytes = bytes.get(place..).and_then(|rest| rest.first_chunk());
    bytes.map_or(0, |number| u64::from_le_bytes(*number))
}

/// The bytes from this offset on; empty if it lies outside the file.
pub(super) fn after(file: &[u8], place: u64) -> &[u8] {
    let place = usize::try_from(place).ok();
    place
        .and_then(|place| file.get(place..))
        .unwrap_or_default()
}

/// The checksum of a sealed preamble, which contains those of the header and the index.
pub(super) fn checksum(file: &[u8]) -> u64 {
    u64_at(file, 56)
}

/// The header; `None` if the file is truncated.
pub(super) fn header(file: &[u8]) -> Option<&[u8]> {
    file.get(PREAMBLE..)?.get(..u32_at(file, 12) as usize)
}

/// The file in place of an unfinished pack.
pub(super) enum PartialFile<'a> {
    /// An unfinished pack, with its header.
    Pack(&'a [u8]),
    /// A pack that was interrupted before its header was complete.
    Truncated,
    /// Something else, or damaged.
    Other,
}

/// Recognises an unfinished pack from the bytes that were written, without trailing zeros.
pub(super) fn partial_file(written: &[u8]) -> PartialFile<'_> {
    if !written.starts_with(&MAGIC) {
        return PartialFile::Other;
    }
    match header(written) {
        None => PartialFile::Truncated,
        Some(header) if xxh3_64(header) == u64_at(written, 16) => PartialFile::Pack(header),
        Some(_) => PartialFile::Other,
    }
}

/// The fields that are known only when the whole pack is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seal {
    pub file_len: u64,
    pub index_offset: u64,
    pub index_len: u64,
    pub index_checksum: u64,
}

/// The preamble and the header, sealed or not.
pub(super) fn opening(header: &[u8], seal: Option<Seal>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(PREAMBLE + header.len() + ALIGNMENT);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(xxh3_64(header).to_le_bytes());
    if let Some(seal) = seal {
        bytes.extend(seal.file_len.to_le_bytes());
        bytes.extend(seal.index_offset.to_le_bytes());
        bytes.extend(seal.index_len.to_le_bytes());
        bytes.extend(seal.index_checksum.to_le_bytes());
        let checksum = xxh3_64(&bytes);
        bytes.extend(checksum.to_le_bytes());
    }
    bytes.resize(PREAMBLE, 0);
    bytes.extend(header);
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    bytes
}

/// Checks a sealed preamble against the file, and returns the seal and the header.
pub(super) fn read_opening<'a>(
    path: &Path,
    bytes: &'a [u8],
) -> Result<(Seal, &'a [u8]), FileError> {
    let refuse = |reason: String| Err(FileError::content(path, reason));
    let len = bytes.len() as u64;
    let magic = &bytes[..bytes.len().min(MAGIC.len())];
    if magic != MAGIC {
        return refuse(format!(
            "not a pack: starts with `{}`, expected `{}`",
            magic.escape_ascii(),
            MAGIC.escape_ascii()
        ));
    }
    if bytes.len() < PREAMBLE {
        let reason = format!("{len} bytes, expected {PREAMBLE}");
        return Err(Damage::Malformed(reason).of(path, "the preamble"));
    }
    let version = u32_at(bytes, 8);
    if version != VERSION {
        return refuse(format!(
            "pack format version {version}, but this program reads version {VERSION}: prepare the corpus again"
        ));
    }
    if bytes[UNSEALED..PREAMBLE].iter().all(|&byte| byte == 0) {
        return refuse("unfinished pack: prepare the corpus again".into());
    }
    let check = |part: &str, bytes: Option<&'a [u8]>, checksum: u64| {
        let bytes = bytes.ok_or(Damage::Malformed("lies outside the file".into()));
        let checked = bytes.and_then(|bytes| Damage::check(bytes, checksum).map(|()| bytes));
        checked.map_err(|damage| damage.of(path, part))
    };
    check("the preamble", Some(&bytes[..56]), u64_at(bytes, 56))?;
    let seal = Seal {
        file_len: u64_at(bytes, 24),
        index_offset: u64_at(bytes, 32),
        index_len: u64_at(bytes, 40),
        index_checksum: u64_at(bytes, 48),
    };
    if seal.file_len != len {
        return refuse(format!(
            "{len} bytes, expected {}: truncated, or with extra data; copy the file again, or prepare the corpus again",
            seal.file_len
        ));
    }
    let header = check("the header", header(bytes), u64_at(bytes, 16))?;
    let index = Some(after(bytes, seal.index_offset));
    let index = index.filter(|index| index.len() as u64 == seal.index_len);
    check("the index", index, seal.index_checksum)?;
    Ok((seal, header))
}
