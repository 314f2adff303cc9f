//! Records: one utterance with a head, features, labels and its target.
//!
//! The head has a checksum and the number of the utterance, so a record can be checked without the index. An interrupted
//! writer uses this to resume, and `Pack::verify` to compare records with the index.

use xxhash_rust::xxh3::xxh3_64;

use super::error::Damage;
use super::layout::{ALIGNMENT, after, u32_at, u64_at};
use super::setup::Setup;

const MAGIC: [u8; 4] = *b"UTT\n";
pub(super) const HEAD: usize = 64;
/// Size of a target symbol in bytes.
pub(super) const TARGET_SIZE: u64 = 2;

/// Type of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Kind {
    /// Features, and labels and the target if the pack has them.
    Features = 0,
    /// The reason why the utterance was left out.
    LeftOut = 1,
}

/// A complete record: its position, and the contents of its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub kind: Kind,
    pub frames: u32,
    /// Symbols of its target.
    pub targets: u32,
    /// Offset of the payload.
    pub payload: u64,
    pub checksum: u64,
    /// Hash of what the record depends on, see `Utterance::identity`.
    pub identity: u64,
    /// Offset of the next record.
    pub end: u64,
}

/// Size of a frame in bytes: features and label.
pub(super) fn frame_size(setup: &Setup) -> u64 {
    let labels = if setup.class_names.is_some() { 2 } else { 0 };
    u64::from(setup.dims) * setup.dtype.size() as u64 + labels
}

/// The number of target symbols after the frames of a payload; `None` if the size is impossible.
fn targets(setup: &Setup, frames: u32, payload_len: u64) -> Option<u32> {
    let framed = u64::from(frames).checked_mul(frame_size(setup))?;
    let rest = payload_len.checked_sub(framed)?;
    let possible = rest == 0 || (setup.targets.is_some() && rest.is_multiple_of(TARGET_SIZE));
    u32::try_from(rest / TARGET_SIZE).ok().filter(|_| possible)
}

/// Fills in the head of a record whose payload is already in `record`, after the space for the head, and pads it.
/// Returns the checksum of the payload.
pub(super) fn complete(
    record: &mut Vec<u8>,
    kind: Kind,
    number: u64,
    frames: u32,
    identity: u64,
) -> u64 {
    let payload = record.get(HEAD..).unwrap_or_default();
    let checksum = xxh3_64(payload);
    let mut head = Vec::with_capacity(HEAD);
    head.extend(MAGIC);
    head.extend((kind as u32).to_le_bytes());
    head.extend(number.to_le_bytes());
    head.extend(u64::from(frames).to_le_bytes());
    head.extend((payload.len() as u64).to_le_bytes());
    head.extend(checksum.to_le_bytes());
    head.extend(identity.to_le_bytes());
    head.resize(HEAD - 8, 0);
    head.extend(xxh3_64(&head).to_le_bytes());
    record.resize(record.len().max(HEAD).next_multiple_of(ALIGNMENT), 0);
    record[..HEAD].copy_from_slice(&head);
    checksum
}

/// The offset after the record at this offset, by the size in its head. None if that lies outside the file.
pub(super) fn end(bytes: &[u8], place: u64) -> Option<u64> {
    let head = after(bytes, place).get(..HEAD)?;
    let payload = u64_at(head, 24).checked_next_multiple_of(ALIGNMENT as u64)?;
    let end = place.checked_add(HEAD as u64)?.checked_add(payload)?;
    (end <= bytes.len() as u64).then_some(end)
}

/// Reads and checks the record at this offset, which must be utterance `number`.
pub(super) fn read(bytes: &[u8], place: u64, number: u64, setup: &Setup) -> Result<Record, Damage> {
    let cut = Damage::malformed("truncated");
    let Some((head, rest)) = after(bytes, place).split_first_chunk::<HEAD>() else {
        return cut;
    };
    let zeros = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
    if head[..4] != MAGIC || xxh3_64(&head[..56]) != u64_at(head, 56) || !zeros(&head[48..56]) {
        return Damage::malformed("the record head is damaged");
    }
    if u64_at(head, 8) != number {
        return Damage::malformed("the record belongs to another utterance");
    }
    let kind = match u32_at(head, 4) {
        0 => Kind::Features,
        1 => Kind::LeftOut,
        _ => return Damage::malformed("unknown record type"),
    };
    let (frames, payload_len) = (u64_at(head, 16), u64_at(head, 24));
    let sizes = u32::try_from(frames).ok().and_then(|frames| {
        let targets = match kind {
            Kind::Features if frames > 0 => targets(setup, frames, payload_len)?,
            Kind::LeftOut if frames == 0 => 0,
            _ => return None,
        };
        Some((frames, targets))
    });
    let Some((frames, targets)) = sizes else {
        return Damage::malformed("the size does not match the number of frames");
    };
    let padded = payload_len.checked_next_multiple_of(ALIGNMENT as u64);
    let padded = padded.and_then(|len| usize::try_from(len).ok());
    let Some(padded) = padded.and_then(|len| rest.get(..len)) else {
        return cut;
    };
    let (payload, padding) = padded.split_at(payload_len as usize);
    let checksum = u64_at(head, 32);
    Damage::check(payload, checksum)?;
    if !zeros(padding) {
        return Damage::malformed("the padding after it is damaged");
    }
    Ok(Record {
        kind,
        frames,
        targets,
        payload: place + HEAD as u64,
        checksum,
        identity: u64_at(head, 40),
        end: place + (HEAD + padded.len()) as u64,
    })
}
