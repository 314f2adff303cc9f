//! Checks every byte of a pack.

use super::error::{Damage, PackError};
use super::layout;
use super::reader::Pack;
use super::record::{self, Kind, Record};
use crate::corpus::Corpus;

impl Pack {
    /// Reads the whole file and checks every record against its checksum, its position and the index.
    pub fn verify(&self) -> Result<(), PackError> {
        self.verify_with(|_| {})
    }

    /// As [`Pack::verify`], and calls `progress` with the number of bytes read so far, after each record.
    pub fn verify_with(&self, mut progress: impl FnMut(u64)) -> Result<(), PackError> {
        let malformed = |part: &str, reason: &str| {
            let damage = Damage::Malformed(reason.into());
            Err(damage.of(&self.path, part).into())
        };
        let header_end = layout::PREAMBLE + layout::u32_at(&self.map, 12) as usize;
        let mut place = header_end.next_multiple_of(layout::ALIGNMENT) as u64;
        let gap = self.map.get(header_end..place as usize).unwrap_or_default();
        if gap.iter().any(|&byte| byte != 0) {
            return malformed("the header", "the padding after it is damaged");
        }
        let mut left_out = self.summary.left_out.iter().peekable();
        let mut kept = 0;
        for number in 0..self.header.utterances {
            let left = left_out.next_if(|left| left.number == number);
            let part = match left {
                Some(left) => format!("left-out utterance {}", left.id),
                None => format!("utterance {}", self.id(kept)),
            };
            let record = record::read(&self.map, place, number, &self.header.setup)
                .map_err(|damage| damage.of(&self.path, &part))?;
            let agrees = match (left, self.entries.get(kept)) {
                (Some(_), _) => record.kind == Kind::LeftOut,
                (None, Some(entry)) => {
                    kept += 1;
                    record.kind == Kind::Features
                        && (record.payload, record.checksum, record.frames)
                            == (entry.payload, entry.checksum, entry.frames)
                }
                (None, None) => false,
            };
            if !agrees {
                return malformed(&part, "it disagrees with the index");
            }
            if let Some((frame, label)) = self.first_bad_label(&record) {
                return malformed(
                    &part,
                    &format!("frame {frame} has the unknown label {label}"),
                );
            }
            place = record.end;
            progress(place);
        }
        if place != self.index_offset || kept != self.entries.len() || left_out.next().is_some() {
            let reason = "its position or its number of utterances does not match the records";
            return malformed("the index", reason);
        }
        Ok(())
    }

    /// The first label of a record that is not among the classes, with its frame. Records without labels have none.
    fn first_bad_label(&self, record: &Record) -> Option<(usize, u16)> {
        let setup = &self.header.setup;
        let classes = setup.class_names.as_ref()?.len();
        let row = setup.dims as usize * setup.dtype.size();
        let from = record.payload as usize + record.frames as usize * row;
        let labels = self.map.get(from..from + record.frames as usize * 2)?;
        let (labels, _) = labels.as_chunks::<2>();
        let mut labels = labels
            .iter()
            .map(|&label| u16::from_le_bytes(label))
            .enumerate();
        labels.find(|&(_, label)| usize::from(label) >= classes)
    }
}
