//! One batch: a span of the drawing order, and the view of it that users get.

use super::Plan;
use crate::batching::Fill;
use crate::items::Item;

/// Consecutive items of the drawing order that make one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    count: u32,
    pub padded_length: u32,
    /// Whether the rule would admit no further item; only a group's last batch may not be full.
    pub is_full: bool,
    is_oversized: bool,
}

impl Span {
    /// A batch that the rule closed.
    pub(crate) fn closed(start: u32, fill: &Fill) -> Self {
        Span {
            start,
            count: fill.count(),
            padded_length: fill.padded_length(),
            is_full: true,
            is_oversized: fill.is_oversized(),
        }
    }

    /// A batch that ended because its group did.
    pub(crate) fn left_over(start: u32, fill: &Fill) -> Self {
        Span {
            is_full: fill.is_full(),
            ..Span::closed(start, fill)
        }
    }

    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }

    pub(crate) fn is_oversized(&self) -> bool {
        self.is_oversized
    }

    pub(crate) fn padded_frames(&self) -> u64 {
        u64::from(self.count) * u64::from(self.padded_length)
    }
}

/// One batch of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'plan> {
    plan: &'plan Plan,
    index: usize,
    span: Span,
}

impl<'plan> Batch<'plan> {
    pub(super) fn new(plan: &'plan Plan, index: usize, span: Span) -> Self {
        Batch { plan, index, span }
    }

    /// Its place in the epoch.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.span.count as usize
    }

    /// Never: a batch has at least one item.
    pub fn is_empty(&self) -> bool {
        self.span.count == 0
    }

    /// The number of frames that every item is padded to.
    pub fn padded_length(&self) -> u32 {
        self.span.padded_length
    }

    /// Items times padded length: what is computed and held in memory.
    pub fn padded_frames(&self) -> u64 {
        self.span.padded_frames()
    }

    /// Frames that are not padding.
    pub fn valid_frames(&self) -> u64 {
        self.lengths().iter().map(|&l| u64::from(l)).sum()
    }

    /// The zero-padding rate of Ge et al. (2021), equation 1: 1 − mean length / padded length.
    pub fn zero_padding_rate(&self) -> f64 {
        1.0 - self.valid_frames() as f64 / self.padded_frames() as f64
    }

    /// The length of each item.
    pub fn lengths(&self) -> &'plan [u32] {
        &self.plan.lengths[self.span.range()]
    }

    /// The items.
    pub fn items(&self) -> impl ExactSizeIterator<Item = Item> + use<'plan> {
        let Batch { plan, span, .. } = *self;
        plan.items_of(span)
    }
}
