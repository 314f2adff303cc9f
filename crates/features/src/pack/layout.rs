//! The first 64 bytes, and how parts are aligned.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::PackError;

pub(super) const MAGIC: [u8; 8] = *b"PADPACK\n";
pub(super) const VERSION: u32 = 1;
pub(super) const PREAMBLE: usize = 64;
/// Records begin on multiples of this: a cache line, and enough for any vector load from a mapped file.
pub(super) const ALIGNMENT: usize = 64;
/// The first bytes of the preamble are there from the beginning; the rest is filled in when the pack is sealed.
pub(super) const UNSEALED: usize = 24;

/// The next boundary at or after this place; none past the end of numbers.
pub(super) fn aligned(place: u64) -> Option<u64> {
    place.checked_next_multiple_of(ALIGNMENT as u64)
}

/// The little-endian number at this place; 0 past the end, which no caller reads.
pub(super) fn u32_at(bytes: &[u8], place: usize) -> u32 {
    bytes
        .get(place..)
        .and_then(|rest| rest.first_chunk())
        .map_or(0, |number| u32::from_le_bytes(*number))
}

/// As [`u32_at`], twice as wide.
pub(super) fn u64_at(bytes: &[u8], place: usize) -> u64 {
    bytes
        .get(place..)
        .and_then(|rest| rest.first_chunk())
        .map_or(0, |number| u64::from_le_bytes(*number))
}

/// What is known of a pack only when all of it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seal {
    pub file_len: u64,
    pub index_offset: u64,
    pub index_len: u64,
    pub index_checksum: u64,
}

/// The preamble and the header, as the file begins with them; sealed or not.
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

/// A sealed preamble that is what it should be, for a file of this length, and the header after it.
pub(super) fn read_opening<'a>(
    path: &Path,
    bytes: &'a [u8],
) -> Result<(Seal, &'a [u8]), PackError> {
    let path = || path.to_path_buf();
    let magic = &bytes[..bytes.len().min(MAGIC.len())];
    if magic != MAGIC {
        return Err(PackError::NotAPack {
            path: path(),
            found: magic.escape_ascii().to_string(),
            expected: MAGIC.escape_ascii().to_string(),
        });
    }
    let version = u32_at(bytes, 8);
    if bytes.len() < PREAMBLE {
        return Err(PackError::Malformed {
            path: path(),
            part: "the preamble".into(),
            reason: format!("{} bytes where there should be {PREAMBLE}", bytes.len()),
        });
    }
    if version != VERSION {
        return Err(PackError::Version {
            path: path(),
            found: version,
            expected: VERSION,
        });
    }
    if bytes[UNSEALED..PREAMBLE].iter().all(|&byte| byte == 0) {
        return Err(PackError::Unfinished { path: path() });
    }
    let checked = |part: &str, expected: u64, bytes: &[u8]| {
        let found = xxh3_64(bytes);
        if found == expected {
            return Ok(());
        }
        Err(PackError::Checksum {
            path: path(),
            part: part.into(),
            expected,
            found,
        })
    };
    checked("the preamble", u64_at(bytes, 56), &bytes[..56])?;
    let seal = Seal {
        file_len: u64_at(bytes, 24),
        index_offset: u64_at(bytes, 32),
        index_len: u64_at(bytes, 40),
        index_checksum: u64_at(bytes, 48),
    };
    if seal.file_len != bytes.len() as u64 {
        return Err(PackError::Size {
            path: path(),
            expected: seal.file_len,
            found: bytes.len() as u64,
        });
    }
    let outside = |part: &str| PackError::Malformed {
        path: path(),
        part: part.into(),
        reason: "it lies outside the file".into(),
    };
    let header = bytes
        .get(PREAMBLE..PREAMBLE.saturating_add(u32_at(bytes, 12) as usize))
        .ok_or_else(|| outside("the header"))?;
    checked("the header", u64_at(bytes, 16), header)?;
    let index = usize::try_from(seal.index_offset)
        .ok()
        .and_then(|offset| bytes.get(offset..))
        .filter(|index| index.len() as u64 == seal.index_len)
        .ok_or_else(|| outside("the index"))?;
    checked("the index", seal.index_checksum, index)?;
    Ok((seal, header))
}
