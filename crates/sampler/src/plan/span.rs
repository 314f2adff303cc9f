//! A batch as a span of the drawing order, and the order of batches.

use std::cmp::Reverse;

use crate::fill::Fill;
use crate::random::{Purpose, Seeds};
use crate::settings::BatchOrder;

/// Consecutive items of the drawing order that make one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    count: u32,
    pub padded_length: u32,
    /// Whether the rule would admit no further item; only a group's last batch may not be full.
    pub is_full: bool,
    /// Whether it is one item that exceeds the frame budget alone.
    pub is_oversized: bool,
}

impl Span {
    /// The items that filled a batch, which end before this position.
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

/// Puts finished batches in the order in which they are trained.
pub(crate) fn arrange(batches: &mut [Span], order: BatchOrder, seeds: &Seeds) {
    match order {
        BatchOrder::AsBuilt => {}
        BatchOrder::Shuffled => seeds.stream(Purpose::BATCHES).shuffle(batches),
        BatchOrder::ShortFirst => batches.sort_by_key(|batch| batch.padded_length),
        BatchOrder::LongFirst => batches.sort_by_key(|batch| Reverse(batch.padded_length)),
    }
}
