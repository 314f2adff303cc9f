//! Dimensions of a batch and its layer.

/// Dimensions of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Frames of the longest utterance (T).
    pub frames: usize,
    /// Utterances in the batch (B).
    pub batch: usize,
    /// Hidden units per direction (H).
    pub hidden: usize,
}

impl Shape {
    /// Number of elements of a tensor with `columns` per frame, utterance and direction.
    pub(super) fn elements(self, columns: usize) -> usize {
        self.frames * self.batch * 2 * columns
    }
}
