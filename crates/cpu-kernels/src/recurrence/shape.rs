//! How large a batch and its layer are.

/// Extents of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Frames of the longest utterance, padding included.
    pub frames: usize,
    /// Utterances of the batch.
    pub batch: usize,
    /// Hidden units of one direction.
    pub hidden: usize,
}

impl Shape {
    /// Elements of a tensor that has `columns` of them for every direction of every frame of every utterance.
    pub(super) fn elements(self, columns: usize) -> usize {
        self.frames * self.batch * 2 * columns
    }
}
