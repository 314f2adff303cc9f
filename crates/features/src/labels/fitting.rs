//! Checks that an utterance has one label per frame.
//!
//! Aligners and front ends round the end of an utterance differently, so a difference of one frame is normal. A larger
//! difference means that the labels belong to other audio or use another hop. Truncating them would hide that.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::files::FileError;

/// Numbers of labels and frames that differ by more than one.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "utterance {id} has {labels} labels but {frames} frames: check that both use the same hop and the same audio"
)]
pub struct Mismatch {
    /// Id of the utterance.
    pub id: String,
    /// Number of labels.
    pub labels: usize,
    /// Number of frames.
    pub frames: u32,
}

/// How labels were adjusted to the number of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fitted {
    /// Not at all.
    Exact,
    /// The last label was repeated once.
    Repeated,
    /// The last label was cut off.
    Cut,
}

/// Number of utterances with each adjustment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FitCounts {
    /// Utterances with as many labels as frames.
    pub exact: u64,
    /// Utterances whose last label was repeated once.
    pub repeated: u64,
    /// Utterances whose last label was cut off.
    pub cut: u64,
}

/// Adjusts labels to the number of frames if they differ by at most one, and returns what was done.
pub fn fit(id: &str, labels: &mut Vec<i32>, frames: u32) -> Result<Fitted, Mismatch> {
    let wanted = frames as usize;
    match (labels.last(), labels.len().abs_diff(wanted)) {
        (_, 0) => Ok(Fitted::Exact),
        (Some(_), 1) if labels.len() > wanted => {
            labels.truncate(wanted);
            Ok(Fitted::Cut)
        }
        (Some(&last), 1) => {
            labels.push(last);
            Ok(Fitted::Repeated)
        }
        _ => Err(Mismatch {
            id: id.to_string(),
            labels: labels.len(),
            frames,
        }),
    }
}

/// Adjusts the labels of a corpus, utterance by utterance, and collects statistics.
#[derive(Debug, Default)]
pub(crate) struct CorpusFit {
    counts: FitCounts,
    classes: usize,
    /// The first mismatch, and the file with its labels.
    first: Option<(PathBuf, Mismatch)>,
    mismatches: usize,
}

impl CorpusFit {
    /// Adjusts the labels of one utterance, which must not be negative. Returns whether they match.
    pub fn add(&mut self, file: &Path, id: &str, labels: &mut Vec<i32>, frames: u32) -> bool {
        match fit(id, labels, frames) {
            Ok(Fitted::Exact) => self.counts.exact += 1,
            Ok(Fitted::Repeated) => self.counts.repeated += 1,
            Ok(Fitted::Cut) => self.counts.cut += 1,
            Err(mismatch) => {
                self.mismatches += 1;
                self.first.get_or_insert((file.to_path_buf(), mismatch));
                return false;
            }
        }
        let largest = labels.iter().max().map_or(0, |&label| label as usize + 1);
        self.classes = self.classes.max(largest);
        true
    }

    /// The number of classes, and the adjustments made.
    pub fn finish(self) -> Result<(usize, FitCounts), FileError> {
        let Some((path, first)) = self.first else {
            return Ok((self.classes, self.counts));
        };
        let reason = format!(
            "{} utterances have labels and features of different lengths; the first: {first}",
            self.mismatches
        );
        Err(FileError::Content { path, reason })
    }
}
