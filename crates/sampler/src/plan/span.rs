//! A batch as a range of the drawing order, and the order of batches.

use std::cmp::Reverse;

use crate::fill::Fill;
use crate::random::{Purpose, Seeds};
use crate::settings::BatchOrder;

/// A batch: consecutive items of the drawing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    count: u32,
    pub padded_length: u32,
    /// Whether no further item fits. Only the last batch of a group can be less than full.
    pub is_full: bool,
    /// Whether the batch is a single item that exceeds the frame budget.
    pub is_oversized: bool,
}

impl Span {
    /// The batch in `fill`, whose items end before position `end`.
    pub(super) fn new(end: u32, fill: &Fill, is_full: bool) -> Self {
        Span {
            start: end - fill.count,
            count: fill.count,
            padded_length: fill.padded_length,
            is_full,
            is_oversized: fill.is_oversized(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }

    pub(super) fn padded_frames(&self) -> u64 {
        u64::from(self.count) * u64::from(self.padded_length)
    }
}

/// Puts finished batches in training order.
pub(crate) fn arrange(batches: &mut [Span], order: BatchOrder, seeds: &Seeds) {
    match order {
        BatchOrder::AsBuilt => {}
        BatchOrder::ShuffledLater if seeds.epoch == 0 => {}
        BatchOrder::Shuffled | BatchOrder::ShuffledLater => {
            seeds.stream(Purpose::BATCHES).shuffle(batches);
        }
        BatchOrder::ShortFirst => batches.sort_by_key(|batch| batch.padded_length),
        BatchOrder::LongFirst => batches.sort_by_key(|batch| Reverse(batch.padded_length)),
    }
}
