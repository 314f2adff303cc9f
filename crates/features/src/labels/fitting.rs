//! One label a frame, held against the number of frames.
//!
//! Aligners and front ends round the end of an utterance differently, so one frame of difference says nothing; more
//! says that the labels are of other audio or another hop, and cutting them to size would hide it.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::files::FileError;

/// Labels and features of an utterance that differ by more than a frame.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "utterance {id} has {labels} labels and {frames} frames: do both have the same hop, and are they of the same audio?"
)]
pub struct Mismatch {
    /// The utterance.
    pub id: String,
    /// How many labels it has.
    pub labels: usize,
    /// How many frames it has.
    pub frames: u32,
}

/// What was done to make labels as long as the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fitted {
    /// Nothing.
    Exact,
    /// The last label was repeated once.
    Repeated,
    /// The last label was cut off.
    Cut,
}

/// How often each was done over a corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FitCounts {
    /// Utterances whose labels were as long as their features.
    pub exact: u64,
    /// Utterances whose last label was repeated once.
    pub repeated: u64,
    /// Utterances whose last label was cut off.
    pub cut: u64,
}

/// Makes labels as long as the features where they differ by at most one frame, and says what it did.
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

/// Fits the labels of a corpus, utterance by utterance, and keeps what it found.
#[derive(Debug, Default)]
pub(crate) struct CorpusFit {
    counts: FitCounts,
    classes: usize,
    /// The file with the labels of the first utterance that does not fit, and how it does not.
    first: Option<(PathBuf, Mismatch)>,
    mismatches: usize,
}

impl CorpusFit {
    /// Fits the labels of one utterance, which are 0 or more, and says whether they did.
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

    /// How many classes there are, and what was done to labels.
    pub fn finish(self) -> Result<(usize, FitCounts), FileError> {
        let Some((path, first)) = self.first else {
            return Ok((self.classes, self.counts));
        };
        let reason = format!(
            "{} utterances have labels of another length than their features; the first: {first}",
            self.mismatches
        );
        Err(FileError::Content { path, reason })
    }
}
