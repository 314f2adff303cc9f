//! The index at the end of a pack: position and metadata of every utterance.
//!
//! Layout: `u32` length of the JSON, `u32` number of entries, the JSON padded to 8 bytes, the entries (40 bytes each, or 48
//! if utterances have targets), the strings. Opening reads the index once; ids and texts stay in the mapped file.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::layout::{after, u32_at, u64_at};
use super::record::{Record, TARGET_SIZE, frame_size};
use super::setup::{Setup, Utterance};
use crate::normalisation::Moments;

const ENTRY: usize = 40;
/// An entry with the length of a target.
const ENTRY_WITH_TARGET: usize = 48;
/// Length that marks a missing string.
const ABSENT: u32 = u32::MAX;

/// An announced utterance that was not packed.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// Number of the utterance in the announced list.
    pub number: u64,
    /// Id of the utterance.
    pub id: String,
    /// Why it was left out.
    pub reason: String,
}

#[derive(Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Summary {
    pub statistics: Moments,
    pub left_out: Vec<LeftOut>,
}

/// Position of an utterance. `strings` is the offset of its id in the file; speaker and text follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    pub payload: u64,
    pub checksum: u64,
    pub strings: u64,
    pub frames: u32,
    /// Symbols of its target.
    pub targets: u32,
    /// Lengths of id, speaker and text in bytes.
    lens: [u32; 3],
}

impl Entry {
    /// Byte ranges of id, speaker and text in the file; empty if missing.
    fn places(&self) -> [Range<u64>; 3] {
        let mut from = self.strings;
        self.lens.map(|len| {
            let len = if len == ABSENT { 0 } else { u64::from(len) };
            let place = from..from.saturating_add(len);
            from = place.end;
            place
        })
    }

    fn string<'a>(&self, file: &'a [u8], which: usize) -> Option<&'a str> {
        (self.lens[which] != ABSENT).then(|| text_at(file, &self.places()[which]))?
    }

    pub fn id<'a>(&self, file: &'a [u8]) -> &'a str {
        self.string(file, 0).unwrap_or_default()
    }

    pub fn speaker<'a>(&self, file: &'a [u8]) -> Option<&'a str> {
        self.string(file, 1)
    }

    pub fn text<'a>(&self, file: &'a [u8]) -> Option<&'a str> {
        self.string(file, 2)
    }
}

/// Size of an entry in bytes.
fn entry_size(with_targets: bool) -> usize {
    if with_targets {
        ENTRY_WITH_TARGET
    } else {
        ENTRY
    }
}

fn text_at<'a>(file: &'a [u8], place: &Range<u64>) -> Option<&'a str> {
    let bytes = file.get(usize::try_from(place.start).ok()?..usize::try_from(place.end).ok()?);
    std::str::from_utf8(bytes?).ok()
}

/// Serialises the index, which will be written at `offset`. Fails if a string is too long for the format.
pub(super) fn write<'a>(
    offset: u64,
    summary: &Summary,
    with_targets: bool,
    kept: impl ExactSizeIterator<Item = (&'a Record, &'a Utterance)>,
) -> Result<Vec<u8>, String> {
    let json = serde_json::to_vec(summary).map_err(|error| error.to_string())?;
    let count = u32::try_from(kept.len()).map_err(|_| "more than 4294967295 utterances")?;
    let json_len = u32::try_from(json.len()).map_err(|_| "too many utterances were left out")?;
    let mut bytes = Vec::new();
    bytes.extend(json_len.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(&json);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let mut place = offset + (bytes.len() + kept.len() * entry_size(with_targets)) as u64;
    let mut strings = String::new();
    for (record, utterance) in kept {
        let (id, speaker, text) = (&utterance.id, &utterance.speaker, &utterance.text);
        bytes.extend(record.payload.to_le_bytes());
        bytes.extend(record.checksum.to_le_bytes());
        bytes.extend(place.to_le_bytes());
        bytes.extend(record.frames.to_le_bytes());
        for string in [Some(id), speaker.as_ref(), text.as_ref()] {
            let len = match string {
                None => ABSENT,
                Some(string) => u32::try_from(string.len())
                    .ok()
                    .filter(|&len| len != ABSENT)
                    .ok_or_else(|| {
                        format!(
                            "utterance {id}: a text of {} bytes is too long",
                            string.len()
                        )
                    })?,
            };
            bytes.extend(len.to_le_bytes());
            strings.push_str(string.map_or("", String::as_str));
            place += string.map_or(0, |string| string.len() as u64);
        }
        if with_targets {
            bytes.extend(u64::from(record.targets).to_le_bytes());
        }
    }
    bytes.extend(strings.as_bytes());
    Ok(bytes)
}

/// Parses the index at `offset`, which extends to the end of the file. Checks that all positions are inside the file:
/// payloads before the index, strings within it.
pub(super) fn read(
    file: &[u8],
    offset: u64,
    setup: &Setup,
) -> Result<(Summary, Vec<Entry>), String> {
    let bytes = after(file, offset);
    let frame_size = frame_size(setup);
    let with_targets = setup.targets.is_some();
    let size = entry_size(with_targets);
    let json_len = u32_at(bytes, 0) as usize;
    let count = u32_at(bytes, 4) as usize;
    let json = bytes
        .get(8..8usize.saturating_add(json_len))
        .ok_or("truncated JSON")?;
    let summary = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let from = (8 + json_len).next_multiple_of(8);
    let entries = count
        .checked_mul(size)
        .and_then(|len| bytes.get(from..from.checked_add(len)?))
        .ok_or_else(|| format!("too short for its {count} entries"))?;
    let first_string = offset + (from + entries.len()) as u64;
    let entries: Vec<Entry> = entries
        .chunks_exact(size)
        .map(|entry| Entry {
            payload: u64_at(entry, 0),
            checksum: u64_at(entry, 8),
            strings: u64_at(entry, 16),
            frames: u32_at(entry, 24),
            targets: u32_at(entry, ENTRY),
            lens: [28, 32, 36].map(|place| u32_at(entry, place)),
        })
        .collect();
    let (mut payloads, mut strings) = (0u64, 0u64);
    for (number, entry) in entries.iter().enumerate() {
        let len = u64::from(entry.frames)
            .checked_mul(frame_size)
            .and_then(|len| len.checked_add(u64::from(entry.targets) * TARGET_SIZE));
        let end = len.and_then(|len| entry.payload.checked_add(len));
        if entry.frames == 0 || end.is_none_or(|end| end > offset) {
            return Err(format!("utterance {number} lies outside the file"));
        }
        let [first, .., last] = entry.places();
        strings = strings.saturating_add(last.end - first.start);
        payloads = payloads.saturating_add(len.unwrap_or(u64::MAX));
        let mut texts = entry.places().into_iter();
        let in_place = entry.strings >= first_string
            && entry.lens[0] != ABSENT
            && texts.all(|place| text_at(file, &place).is_some());
        if !in_place {
            return Err(format!(
                "the strings of utterance {number} lie outside the index"
            ));
        }
    }
    // Shared bytes would let a small file describe a corpus that fits no memory.
    if payloads > offset || strings > bytes.len() as u64 {
        return Err("utterances overlap".into());
    }
    Ok((summary, entries))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::pack::Dtype;
    use crate::formats::pack::record::Kind;

    #[test]
    fn entries_that_share_bytes_are_refused() {
        let record = |payload| Record {
            kind: Kind::Features,
            frames: 8,
            targets: 0,
            payload,
            checksum: 0,
            identity: 0,
            end: 0,
        };
        // Four bytes per frame.
        let setup = Setup {
            dims: 1,
            dtype: Dtype::F32,
            class_names: None,
            targets: None,
            front_end: serde_json::Value::Null,
        };
        let utterance = Utterance {
            id: "a".into(),
            ..Utterance::default()
        };
        let read_back = |payloads: [u64; 2]| {
            let records = payloads.map(record);
            let kept = records.iter().map(|record| (record, &utterance));
            let index = write(64, &Summary::default(), false, kept).expect("short strings");
            read(&[vec![0; 64], index].concat(), 64, &setup).map(|(_, entries)| entries.len())
        };
        assert_eq!(read_back([0, 32]), Ok(2));
        let twice = read_back([0, 0]);
        assert_eq!(twice, Ok(2), "as much as the file holds");
        // Three utterances of 32 bytes do not fit in 64.
        let records = [record(0), record(0), record(32)];
        let kept = records.iter().map(|record| (record, &utterance));
        let index = write(64, &Summary::default(), false, kept).expect("short strings");
        let file = [vec![0; 64], index].concat();
        assert_eq!(
            read(&file, 64, &setup).err(),
            Some("utterances overlap".into())
        );
    }
}
