//! Checks every byte of a pack.

use rayon::prelude::*;

use super::error::{Damage, PackError};
use super::index::LeftOut;
use super::layout;
use super::reader::Pack;
use super::record::{self, Kind, Record};
use crate::corpus::{Corpus, NonFinite};

/// A record to check.
struct Step<'a> {
    /// The number of the utterance among the announced ones.
    number: u64,
    /// The offset of the record.
    place: u64,
    /// Whether the utterance was left out.
    left_out: Option<&'a LeftOut>,
    /// The number of the utterance among those in the index.
    kept: usize,
}

impl Pack {
    /// Reads the whole file, on all cores. Checks every record against its checksum, its position and the index. Features must be
    /// finite, labels among the classes, and targets among the symbols.
    pub fn verify(&self) -> Result<(), PackError> {
        self.verify_with(|_| {})
    }

    /// As [`Pack::verify`], and calls `progress` with the size of each record in bytes after checking it. Calls come from several
    /// threads.
    pub fn verify_with(&self, progress: impl Fn(u64) + Sync) -> Result<(), PackError> {
        let header_end = layout::PREAMBLE + layout::u32_at(&self.map, 12) as usize;
        let first = header_end.next_multiple_of(layout::ALIGNMENT);
        let gap = self.map.get(header_end..first).unwrap_or_default();
        if gap.iter().any(|&byte| byte != 0) {
            return Err(self.malformed("the header", "the padding after it is damaged"));
        }
        let (steps, end) = self.steps(first as u64);
        let check = |step: &Step| match self.check(step) {
            Ok(bytes) => {
                progress(bytes);
                None
            }
            Err(problem) => Some(problem),
        };
        if let Some(problem) = steps.par_iter().find_map_first(check) {
            return Err(problem);
        }
        let left_out = steps.iter().filter(|step| step.left_out.is_some()).count();
        let complete = end == self.index_offset
            && steps.len() as u64 == self.header.utterances
            && left_out == self.summary.left_out.len()
            && steps.len() - left_out == self.entries.len();
        if !complete {
            let reason = "its position or its number of utterances does not match the records";
            return Err(self.malformed("the index", reason));
        }
        Ok(())
    }

    /// Finds all records by their sizes, without checking them. Ends after a record whose size lies outside the file. Also returns
    /// the offset after the last record.
    fn steps(&self, first: u64) -> (Vec<Step<'_>>, u64) {
        let mut left_out = self.summary.left_out.iter().peekable();
        let (mut steps, mut place, mut kept) = (Vec::new(), first, 0);
        for number in 0..self.header.utterances {
            let left_out = left_out.next_if(|left| left.number == number);
            steps.push(Step {
                number,
                place,
                left_out,
                kept,
            });
            kept += usize::from(left_out.is_none());
            match record::end(&self.map, place) {
                Some(end) => place = end,
                None => break,
            }
        }
        (steps, place)
    }

    /// Checks a record and returns its size.
    fn check(&self, step: &Step) -> Result<u64, PackError> {
        let part = match step.left_out {
            Some(left) => format!("left-out utterance {}", left.id),
            None => format!("utterance {}", self.id(step.kept)),
        };
        let record = record::read(&self.map, step.place, step.number, &self.header.setup)
            .map_err(|damage| damage.of(&self.path, &part))?;
        let agrees = match (step.left_out, self.entries.get(step.kept)) {
            (Some(_), _) => record.kind == Kind::LeftOut,
            (None, Some(entry)) => {
                record.kind == Kind::Features
                    && (
                        record.payload,
                        record.checksum,
                        record.frames,
                        record.targets,
                    ) == (entry.payload, entry.checksum, entry.frames, entry.targets)
            }
            (None, None) => false,
        };
        if !agrees {
            return Err(self.malformed(&part, "it disagrees with the index"));
        }
        if step.left_out.is_none() {
            let (features, _) = self.read(step.kept)?;
            if let Some(bad) = NonFinite::first_in(self, step.kept, &features) {
                let (frame, dimension) = (bad.frame, bad.dimension);
                let reason = format!("frame {frame}, dimension {dimension} is {}", bad.value);
                return Err(self.malformed(&part, &reason));
            }
        }
        if let Some((frame, label)) = self.first_bad_label(&record) {
            let reason = format!("frame {frame} has the unknown label {label}");
            return Err(self.malformed(&part, &reason));
        }
        let symbols = self.target_set().map_or(0, |set| set.symbols.len());
        let targets = match step.left_out {
            Some(_) => Vec::new(),
            None => self.targets(step.kept)?,
        };
        if let Some(symbol) = targets.iter().find(|&&symbol| symbol as usize >= symbols) {
            let reason = format!("its target has the unknown symbol {symbol}");
            return Err(self.malformed(&part, &reason));
        }
        Ok(record.end - step.place)
    }

    fn malformed(&self, part: &str, reason: &str) -> PackError {
        let damage = Damage::Malformed(reason.into());
        damage.of(&self.path, part).into()
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
