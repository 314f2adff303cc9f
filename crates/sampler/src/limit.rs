//! When a batch is full, in numbers: the strategy's batching for a corpus whose longest item is known.

use crate::settings::{Batching, Padding};
use crate::strategy::Strategy;

/// What a batch may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub max_items: u32,
    /// The most padded frames; only an item that is larger alone exceeds them, unless the batch may overshoot.
    pub max_frames: u64,
    /// Whether the item that makes the batch exceed `max_frames` is its last, instead of the next one's first.
    pub may_overshoot: bool,
}

impl Limit {
    /// `longest` is the longest item of the corpus, `widest` the width of its widest bucket.
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
