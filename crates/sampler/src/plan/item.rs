//! One item of a batch.

/// One item of a batch: a sequence, or a chunk of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Item {
    /// The index of the sequence in the planned lengths.
    #[cfg_attr(feature = "serde", serde(rename = "utterance"))]
    pub sequence: usize,
    /// The first frame. It is 0 for whole sequences.
    pub start: u32,
    /// The number of frames.
    pub length: u32,
}
