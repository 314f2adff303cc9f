//! One utterance in the file: a head that says what follows and with which checksum, the features, the labels.
//!
//! A record can be told whole or broken by itself, and knows its number in the list of utterances. That is what lets
//! an interrupted writer go on, and what `Pack::verify` holds against the index.

use xxhash_rust::xxh3::xxh3_64;

use super::error::Damage;
use super::layout::{ALIGNMENT, after, u32_at, u64_at};
use super::setup::Setup;

const MAGIC: [u8; 4] = *b"UTT\n";
pub(super) const HEAD: usize = 64;

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Kind {
    /// Features, and labels where the pack has them.
    Features = 0,
    /// The reason why this utterance has none.
    LeftOut = 1,
}

/// A record that is whole: its place in the file, and its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub kind: Kind,
    pub frames: u32,
    /// Where the payload begins.
    pub payload: u64,
    pub checksum: u64,
    /// What the utterance was computed from.
    pub fingerprint: u64,
    /// Where the next record would begin.
    pub end: u64,
}

/// The bytes of a frame's features and label together.
pub(super) fn frame_size(setup: &Setup) -> u64 {
    let labels = if setup.class_names.is_some() { 2 } else { 0 };
    u64::from(setup.dims) * setup.dtype.size() as u64 + labels
}

/// Fills in the head of a record whose payload stands in `record` after the room for it, and pads it.
/// Returns the payload's checksum.
pub(super) fn complete(
    record: &mut Vec<u8>,
    kind: Kind,
    number: u64,
    frames: u32,
    fingerprint: u64,
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
    head.extend(fingerprint.to_le_bytes());
    head.resize(HEAD - 8, 0);
    head.extend(xxh3_64(&head).to_le_bytes());
    record.resize(record.len().max(HEAD).next_multiple_of(ALIGNMENT), 0);
    record[..HEAD].copy_from_slice(&head);
    checksum
}

/// The record at this place, checked to its last byte, which must be utterance `number` of the list.
pub(super) fn read(bytes: &[u8], place: u64, number: u64, setup: &Setup) -> Result<Record, Damage> {
    let cut = Damage::malformed("it is cut short");
    let Some((head, rest)) = after(bytes, place).split_first_chunk::<HEAD>() else {
        return cut;
    };
    let zeros = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
    if head[..4] != MAGIC || xxh3_64(&head[..56]) != u64_at(head, 56) || !zeros(&head[48..56]) {
        return Damage::malformed("its head was altered");
    }
    if u64_at(head, 8) != number {
        return Damage::malformed("it is not the utterance that belongs there");
    }
    let kind = match u32_at(head, 4) {
        0 => Kind::Features,
        1 => Kind::LeftOut,
        _ => return Damage::malformed("it is of no known kind"),
    };
    let (frames, payload_len) = (u64_at(head, 16), u64_at(head, 24));
    let fits = |frames: &u32| match kind {
        Kind::Features => {
            *frames > 0 && u64::from(*frames).checked_mul(frame_size(setup)) == Some(payload_len)
        }
        Kind::LeftOut => *frames == 0,
    };
    let Some(frames) = u32::try_from(frames).ok().filter(fits) else {
        return Damage::malformed("its size and its number of frames disagree");
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
        return Damage::malformed("the zeros after it were altered");
    }
    Ok(Record {
        kind,
        frames,
        payload: place + HEAD as u64,
        checksum,
        fingerprint: u64_at(head, 40),
        end: place + (HEAD + padded.len()) as u64,
    })
}
