//! Resumes an unfinished pack.

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

/// The utterances that are already in the file.
#[derive(Debug)]
pub(super) struct Progress {
    pub records: Vec<Record>,
    pub statistics: Moments,
    /// Offset of the next record.
    pub end: u64,
}

impl Progress {
    /// Adds the features of an utterance to the statistics. Utterances are added one at a time and in order, so the
    /// statistics do not depend on interruptions.
    pub fn add_to_statistics(&mut self, features: &[f32]) -> Result<(), PackError> {
        let moments = Moments::of_rows(features, self.statistics.dims());
        self.statistics.merge(&moments).map_err(PackError::setup)
    }
}

/// Finds the complete records of an earlier run, truncates the file after them, and prepares it for the next record.
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
            // An utterance that was left out may be readable now, and one whose source changed must be computed again.
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
    // The opening first: a crash then leaves a part of it, and never a file of the right length without it.
    file.rewind()
        .and_then(|()| file.write_all(&opening))
        .and_then(|()| file.set_len(progress.end))
        .map_err(FileError::io(partial))?;
    Ok(progress)
}

/// Checks that the unfinished file starts like this pack, sealed or not. After a power loss, the end of the file may be zeros.
fn check_begun(
    partial: &Path,
    header: &Header,
    found: &[u8],
    opening: &[u8],
) -> Result<(), PackError> {
    let written = found.iter().rposition(|&byte| byte != 0);
    let written = &found[..written.map_or(0, |last| last + 1)];
    let same = (0..opening.len().min(written.len()))
        .filter(|place| !(layout::UNSEALED..layout::PREAMBLE).contains(place))
        .all(|place| found[place] == opening[place]);
    if same {
        return Ok(());
    }
    let earlier = layout::header(found).and_then(|header| serde_json::from_slice(header).ok());
    let difference = earlier.and_then(|earlier| header.difference(&earlier));
    let reason = match difference {
        Some((what, then, now)) => format!(
            "the unfinished pack has a different {what} (then {then}, now {now}): remove it to start again, or restore the setting"
        ),
        None => "not an unfinished pack, or damaged: remove it to start again".into(),
    };
    let path = partial.to_path_buf();
    Err(PackError::CannotResume { path, reason })
}
