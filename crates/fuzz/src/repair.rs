//! Recomputes the checksums of mutated inputs.
//!
//! The layouts are written down here a second time, from their documentation: the readers keep theirs private.

use safetensors::SafeTensors;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Alignment of a pack's records, and the length of its preamble and of a record's head.
const BLOCK: usize = 64;
/// Length of an entry in a pack's index, without and with a target.
const ENTRY: [usize; 2] = [40, 48];

fn u32_at(bytes: &[u8], at: usize) -> usize {
    let number = bytes.get(at..).and_then(|rest| rest.first_chunk());
    number.map_or(0, |number| u32::from_le_bytes(*number) as usize)
}

fn u64_at(bytes: &[u8], at: usize) -> usize {
    let number = bytes.get(at..).and_then(|rest| rest.first_chunk());
    number.map_or(0, |number| u64::from_le_bytes(*number) as usize)
}

fn set(bytes: &mut [u8], at: usize, number: u64) {
    if let Some(place) = bytes.get_mut(at..at.saturating_add(8)) {
        place.copy_from_slice(&number.to_le_bytes());
    }
}

/// Recomputes the checksum at `place` of `length` bytes from `start`, if they are inside the file.
fn set_checksum(bytes: &mut [u8], place: usize, start: usize, length: usize) -> Option<u64> {
    let checksum = xxh3_64(bytes.get(start..start.checked_add(length)?)?);
    set(bytes, place, checksum);
    Some(checksum)
}

/// Makes the sizes and checksums of a feature pack valid: header, records, index, preamble.
pub fn pack(bytes: &mut [u8]) {
    let len = bytes.len();
    if len < BLOCK {
        return;
    }
    let header = u32_at(bytes, 12);
    set_checksum(bytes, 16, BLOCK, header);
    let mut records = Vec::new();
    let mut place = (BLOCK + header).next_multiple_of(BLOCK);
    while bytes
        .get(place..)
        .is_some_and(|rest| rest.starts_with(b"UTT\n"))
    {
        let payload = u64_at(bytes, place + 24);
        let Some(checksum) = set_checksum(bytes, place + 32, place + BLOCK, payload) else {
            break;
        };
        set_checksum(bytes, place + 56, place, 56);
        records.push((place + BLOCK, checksum));
        place = (place + BLOCK + payload).next_multiple_of(BLOCK);
    }
    set(bytes, 24, len as u64);
    if u64_at(bytes, 32) > len {
        set(bytes, 32, place as u64);
    }
    let index = u64_at(bytes, 32);
    let json = u32_at(bytes, index);
    let entries = index
        .saturating_add(8)
        .saturating_add(json.next_multiple_of(8));
    let header = bytes.get(BLOCK..BLOCK + header).unwrap_or_default();
    let with_targets = header.windows(9).any(|part| part == b"\"targets\"");
    let size = ENTRY[usize::from(with_targets)];
    for number in 0..u32_at(bytes, index.saturating_add(4)).min(len / size) {
        let entry = entries.saturating_add(number * size);
        let payload = u64_at(bytes, entry);
        if let Some((_, checksum)) = records.iter().find(|record| record.0 == payload) {
            set(bytes, entry.saturating_add(8), *checksum);
        }
    }
    let index_len = len.saturating_sub(index);
    set(bytes, 40, index_len as u64);
    set_checksum(bytes, 48, index, index_len);
    set_checksum(bytes, 56, 0, 56);
}

/// Makes the header length of a safetensors file valid: the header ends with the last `}}` and spaces.
pub fn safetensors(bytes: &mut [u8]) {
    let header = bytes.get(8..).unwrap_or_default();
    let Some(end) = header.windows(2).rposition(|pair| pair == b"}}") else {
        return;
    };
    let spaces = header[end + 2..].iter().take_while(|&&byte| byte == b' ');
    let length = end + 2 + spaces.count();
    set(bytes, 0, length as u64);
}

/// Makes the header length and the checksum of a checkpoint valid.
pub fn checkpoint(bytes: &mut [u8]) {
    const LABEL: &[u8] = b"\"padwise.checksum\":\"";
    safetensors(bytes);
    let Some(checksum) = checkpoint_checksum(bytes) else {
        return;
    };
    let label = bytes.windows(LABEL.len()).position(|part| part == LABEL);
    let place = label.map(|at| at + LABEL.len()..at + LABEL.len() + checksum.len());
    if let Some(place) = place.and_then(|place| bytes.get_mut(place)) {
        place.copy_from_slice(checksum.as_bytes());
    }
}

fn checkpoint_checksum(bytes: &[u8]) -> Option<String> {
    let (_, header) = SafeTensors::read_metadata(bytes).ok()?;
    let metadata = header.metadata().as_ref()?;
    let tensors = SafeTensors::deserialize(bytes).ok()?;
    let mut names = tensors.names();
    names.sort_unstable();
    let mut hash = Xxh3::new();
    let mut add = |part: &[u8]| {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    add(metadata.get("padwise.about")?.as_bytes());
    add(metadata.get("padwise.tag")?.as_bytes());
    for name in names {
        add(name.as_bytes());
        add(tensors.tensor(name).ok()?.data());
    }
    Some(format!("{:032x}", hash.digest128()))
}

/// Makes the checksums of a FLAC file with one frame valid.
pub fn flac(bytes: &mut [u8]) {
    let mut place = 4;
    while let Some(&[kind, a, b, c]) = bytes.get(place..).and_then(|rest| rest.first_chunk()) {
        place += 4 + u32::from_be_bytes([0, a, b, c]) as usize;
        if kind & 0x80 != 0 {
            break;
        }
    }
    let Some(frame) = bytes.get_mut(place..) else {
        return;
    };
    let Some(&[_, _, sizes, _, number, ..]) = frame.first_chunk::<5>() else {
        return;
    };
    // The number of the frame is coded like UTF-8.
    let number = (number.leading_ones() as usize).max(1);
    let block = match sizes >> 4 {
        6 => 1,
        7 => 2,
        _ => 0,
    };
    let rate = match sizes & 15 {
        12 => 1,
        13 | 14 => 2,
        _ => 0,
    };
    let head = 4 + number + block + rate;
    if let Some((covered, [checksum, ..])) = frame.split_at_mut_checked(head) {
        *checksum = crc(covered, 0x07, 8) as u8;
    }
    if let Some((covered, end)) = frame.split_last_chunk_mut::<2>() {
        *end = (crc(covered, 0x8005, 16) as u16).to_be_bytes();
    }
}

/// A cyclic redundancy check of `bits` bits, starting from 0.
pub fn crc(bytes: &[u8], polynomial: u32, bits: u32) -> u32 {
    let top = 1 << (bits - 1);
    let mut crc = 0_u32;
    for &byte in bytes {
        crc ^= u32::from(byte) << (bits - 8);
        for _ in 0..8 {
            crc = if crc & top == 0 {
                crc << 1
            } else {
                crc << 1 ^ polynomial
            };
        }
    }
    crc & (top << 1).wrapping_sub(1)
}
