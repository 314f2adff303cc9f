//! Resumes an unfinished pack.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;

use super::error::PackError;
use super::layout::{self, PartialFile};
use super::record::{self, Kind, Record};
use super::setup::{Header, Utterance};
use crate::files::{FileError, map};
use crate::formats::numbers;
use crate::normalisation::Moments;
use padwise_sampler::excerpt::excerpt;

/// The utterances that are already in the file.
#[derive(Debug)]
pub(super) struct Progress {
    /// Which setting differs from those of an earlier run, whose utterances were deleted.
    pub restarted: Option<String>,
    pub records: Vec<Record>,
    pub statistics: Moments,
    /// Offset of the next record.
    pub end: u64,
}

impl Progress {
    /// Adds those of an utterance to the statistics. Utterances are added one at a time and in order, so the statistics do not
    /// depend on interruptions.
    pub fn add_to_statistics(&mut self, moments: &Moments) -> Result<(), PackError> {
        self.statistics.merge(moments).map_err(PackError::setup)
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
        restarted: None,
        records: Vec::new(),
        statistics: Moments::new(dims),
        end: opening.len() as u64,
    };
    if file.metadata().map_err(FileError::io(partial))?.len() > 0 {
        let found = map(file).map_err(FileError::io(partial))?;
        let earlier = earlier_run(partial, header, &found, &opening)?;
        let usable = match earlier {
            Earlier::Same | Earlier::OtherList => utterances,
            Earlier::Other(_) => &[],
        };
        let mut features = Vec::new();
        for (number, utterance) in (0..).zip(usable) {
            let Ok(record) = record::read(&found, progress.end, number, &header.setup) else {
                break;
            };
            // An utterance that was left out may be readable now, and one whose source changed must be computed again.
            if record.kind == Kind::LeftOut || record.identity != utterance.identity() {
                break;
            }
            features.resize(record.frames as usize * dims, 0.0);
            let payload = &found[record.payload as usize..];
            numbers::load(payload, header.setup.dtype, &mut features);
            progress.add_to_statistics(&Moments::of_rows(&features, dims))?;
            progress.records.push(record);
            progress.end = record.end;
        }
        progress.restarted = match earlier {
            Earlier::Other(setting) => Some(setting),
            Earlier::OtherList if progress.records.is_empty() => Some("list of utterances".into()),
            Earlier::Same | Earlier::OtherList => None,
        };
    }
    // Other settings: empty the file first, so that a crash never leaves a mixture of both openings.
    if progress.restarted.is_some() {
        file.set_len(0).map_err(FileError::io(partial))?;
    }
    // The opening first: a crash then leaves a part of it, and never a file of the right length without it.
    file.rewind()
        .and_then(|()| file.write_all(&opening))
        .and_then(|()| file.set_len(progress.end))
        .map_err(FileError::io(partial))?;
    Ok(progress)
}

/// How an unfinished pack differs from the one to write.
enum Earlier {
    /// Not at all.
    Same,
    /// Only the list of utterances differs. Those at the start that are unchanged can stay.
    OtherList,
    /// This setting differs.
    Other(String),
}

/// Checks that the file is an unfinished pack. It may be sealed, and after a power loss its end may be missing or zeros.
fn earlier_run(
    partial: &Path,
    header: &Header,
    found: &[u8],
    opening: &[u8],
) -> Result<Earlier, PackError> {
    let written = found.iter().rposition(|&byte| byte != 0);
    let written = &found[..written.map_or(0, |last| last + 1)];
    let same = (0..opening.len().min(written.len()))
        .filter(|place| !(layout::UNSEALED..layout::PREAMBLE).contains(place))
        .all(|place| found[place] == opening[place]);
    if same {
        return Ok(Earlier::Same);
    }
    match layout::partial_file(written) {
        PartialFile::Pack(bytes) => {
            let earlier: Option<Header> = serde_json::from_slice(bytes).ok();
            // Records start after the header, so it must have the same length.
            let same_place = layout::opening(bytes, None).len() == opening.len();
            if let Some(earlier) = &earlier
                && earlier.setup == header.setup
                && same_place
            {
                return Ok(Earlier::OtherList);
            }
            let difference = earlier.and_then(|earlier| header.difference(&earlier));
            Ok(Earlier::Other(match difference {
                Some((what, then, now)) => {
                    let [then, now] = [then, now].map(|value| excerpt(&value).to_string());
                    format!("{what} (then {then}, now {now})")
                }
                None => "format of the header".into(),
            }))
        }
        // It has no utterances yet, and its settings are unknown.
        PartialFile::Truncated => Ok(Earlier::Other("header".into())),
        PartialFile::Other => Err(PackError::CannotResume {
            path: partial.to_path_buf(),
            reason: "not an unfinished pack, or damaged: remove it to start again".into(),
        }),
    }
}
