//! What of a pack is in its file, and how to go on where an earlier writer stopped.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;

use super::error::PackError;
use super::layout;
use super::record::{self, Kind, Record};
use super::setup::{Header, Utterance};
use crate::files::{FileError, map};
use crate::formats::numbers;
use crate::normalisation::Moments;

/// The utterances that are in the file.
#[derive(Debug)]
pub(super) struct Progress {
    pub records: Vec<Record>,
    pub statistics: Moments,
    /// Where the next record begins.
    pub end: u64,
}

impl Progress {
    /// Adds the features of an utterance to the statistics: one at a time, in their order, so that a pack written in one
    /// go and one written in five carry the same ones.
    pub fn add_to_statistics(&mut self, features: &[f32]) -> Result<(), PackError> {
        let moments = Moments::of_rows(features, self.statistics.dims());
        self.statistics.merge(&moments).map_err(PackError::setup)
    }
}

/// Finds what an earlier go left, cuts off what of it is not whole, and leaves the file ready for the next record.
pub(super) fn resume(
    file: &mut File,
    partial: &Path,
    header: &Header,
    utterances: &[Utterance],
) -> Result<Progress, PackError> {
    let opening = layout::opening(&header.to_bytes()?, None);
    let dims = header.setup.dims as usize;
    let mut progress = Progress {
        records: Vec::new(),
        statistics: Moments::new(dims),
        end: opening.len() as u64,
    };
    if file.metadata().map_err(FileError::io(partial))?.len() > 0 {
        let found = map(file).map_err(FileError::io(partial))?;
        check_begun(partial, header, &found, &opening)?;
        let mut features = Vec::new();
        for (number, utterance) in (0..).zip(utterances) {
            let Ok(record) = record::read(&found, progress.end, number, &header.setup) else {
                break;
            };
            // What was left out may have been mended, and what changed since must not be mixed with what did not.
            if record.kind == Kind::LeftOut || record.fingerprint != utterance.fingerprint {
                break;
            }
            features.resize(record.frames as usize * dims, 0.0);
            let payload = &found[record.payload as usize..];
            numbers::load(payload, header.setup.dtype, &mut features);
            progress.add_to_statistics(&features)?;
            progress.records.push(record);
            progress.end = record.end;
        }
    }
    file.set_len(progress.end)
        .and_then(|()| file.rewind())
        .and_then(|()| file.write_all(&opening))
        .map_err(FileError::io(partial))?;
    Ok(progress)
}

/// Whether what is there began as this pack begins, as far as it goes. The seal may be there already.
fn check_begun(
    partial: &Path,
    header: &Header,
    found: &[u8],
    opening: &[u8],
) -> Result<(), PackError> {
    let same = (0..opening.len().min(found.len()))
        .filter(|place| !(layout::UNSEALED..layout::PREAMBLE).contains(place))
        .all(|place| found[place] == opening[place]);
    if same {
        return Ok(());
    }
    let earlier = layout::header(found).and_then(|header| serde_json::from_slice(header).ok());
    let difference = earlier.and_then(|earlier| header.difference(&earlier));
    let reason = match difference {
        Some((what, then, now)) => format!(
            "begun with another {what} (then {then}, now {now}): remove this file to begin afresh, or go on with what it was begun with"
        ),
        None => {
            "not the beginning of a pack, or a damaged one: remove this file to begin afresh".into()
        }
    };
    let path = partial.to_path_buf();
    Err(PackError::CannotResume { path, reason })
}
