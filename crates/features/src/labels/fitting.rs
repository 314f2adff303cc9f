//! One label a frame, held against the number of frames.
//!
//! Aligners and front ends round the end of an utterance differently, so one frame of difference says nothing; more
//! says that the labels are of other audio or another hop, and cutting them to size would hide it.

use thiserror::Error;

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

/// All utterances of a corpus whose labels and features differ by more than a frame.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{} utterances have labels of another length than their features; the first: {}", .0.len(), .0.first().map(ToString::to_string).unwrap_or_default())]
pub struct Mismatches(pub Vec<Mismatch>);

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

impl FitCounts {
    /// Counts one more utterance.
    pub fn count(&mut self, fitted: Fitted) {
        match fitted {
            Fitted::Exact => self.exact += 1,
            Fitted::Repeated => self.repeated += 1,
            Fitted::Cut => self.cut += 1,
        }
    }
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
