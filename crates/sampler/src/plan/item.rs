//! One item of a batch.


/// One item of a batch: which frames of which sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Item {
    /// The sequence's index in the lengths that were planned.
    #[cfg_attr(feature = "serde", serde(rename = "utterance"))]
    pub sequence: usize,
    /// The first frame; 0 unless the item is a chunk.
    pub start: u32,
    /// The number of frames.
    pub length: u32,
}
