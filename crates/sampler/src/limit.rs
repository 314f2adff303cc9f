//! The limits of a batch in numbers, computed from the strategy and the longest item of the corpus.

use crate::settings::{Batching, Padding};
use crate::strategy::Strategy;

/// The limits of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub max_items: u32,
    /// The maximum number of padded frames. Only a single longer item exceeds it, unless the batch may overshoot.
    pub max_frames: u64,
    /// Whether the item that exceeds `max_frames` ends this batch instead of starting the next one.
    pub may_overshoot: bool,
}

impl Limit {
    /// `longest` is the length of the corpus's longest item, `widest` the width of its widest bucket.
    pub(crate) fn new(strategy: &Strategy, longest: u32, widest: Option<u32>) -> Self {
        let padded = match strategy.padding {
            Padding::Bucket => longest.max(widest.unwrap_or(0)),
            padding => longest.next_multiple_of(padding.multiple()),
        };
        let batching = &strategy.batching;
        let (max_items, max_frames) = match *batching {
            Batching::Fixed { size } => (Some(size), u64::MAX),
            Batching::Frames { budget, max_items } => (max_items, budget),
            Batching::Dynamic { base, max_items }
            | Batching::DynamicOvershoot { base, max_items } => {
                (max_items, u64::from(base) * u64::from(padded))
            }
        };
        Limit {
            max_items: max_items.unwrap_or(u32::MAX),
            max_frames,
            may_overshoot: matches!(batching, Batching::DynamicOvershoot { .. }),
        }
    }
}
