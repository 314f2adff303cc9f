//! A batch that is being filled, and the rule that decides whether the next item still fits.

use crate::limit::Limit;
use crate::settings::Padding;

/// A batch that is being filled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    limit: Limit,
    /// Lengths are padded to multiples of this.
    multiple: u32,
    pub count: u32,
    /// With `pad=bucket` this is the bucket's width from the start.
    pub padded_length: u32,
}

impl Fill {
    /// An empty batch. `bucket_width` is the width of its bucket, if it has one.
    pub(crate) fn new(limit: Limit, padding: Padding, bucket_width: Option<u32>) -> Self {
        let width = bucket_width.filter(|_| padding == Padding::Bucket);
        Fill {
            limit,
            multiple: padding.multiple(),
            count: 0,
            padded_length: width.unwrap_or(0),
        }
    }

    /// Whether an item of this length fits into the batch. An empty batch accepts any item.
    pub(crate) fn accepts(&self, length: u32) -> bool {
        let frames = u64::from(self.count + 1) * u64::from(self.padded_with(length));
        self.count == 0 || self.limit.may_overshoot || frames <= self.limit.max_frames
    }

    pub(crate) fn add(&mut self, length: u32) {
        self.padded_length = self.padded_with(length);
        self.count += 1;
    }

    /// Whether no further item of the batch's padded length fits.
    pub(crate) fn is_full(&self) -> bool {
        let count = self.count + u32::from(!self.limit.may_overshoot);
        let frames = u64::from(count) * u64::from(self.padded_length);
        self.count >= self.limit.max_items || frames > self.limit.max_frames
    }

    /// Whether the batch is a single item that exceeds the limit.
    pub(crate) fn is_oversized(&self) -> bool {
        let exceeds = u64::from(self.padded_length) > self.limit.max_frames;
        self.count == 1 && exceeds && !self.limit.may_overshoot
    }

    fn padded_with(&self, length: u32) -> u32 {
        let padded = length.next_multiple_of(self.multiple);
        self.padded_length.max(padded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Batching, Order};
    use crate::strategy::Strategy;

    #[derive(Debug, PartialEq)]
    enum Verdict {
        Refused,
        Open,
        Full,
    }

    fn limit(batching: Batching, longest: u32) -> Limit {
        Limit::new(&Strategy::new(Order::Random, batching), longest, None)
    }

    fn verdicts(limit: Limit, padding: Padding, lengths: &[u32]) -> Vec<Verdict> {
        let mut fill = Fill::new(limit, padding, None);
        let mut offer = |length| {
            if !fill.accepts(length) {
                return Verdict::Refused;
            }
            fill.add(length);
            if fill.is_full() {
                Verdict::Full
            } else {
                Verdict::Open
            }
        };
        lengths.iter().map(|&length| offer(length)).collect()
    }

    const BUDGET_30: Batching = Batching::Frames {
        budget: 30,
        max_items: None,
    };

    #[test]
    fn a_budget_is_never_exceeded() {
        use Verdict::*;
        let verdicts = |lengths: &[u32]| verdicts(limit(BUDGET_30, 99), Padding::Longest, lengths);
        assert_eq!(verdicts(&[10, 10, 10]), [Open, Open, Full]);
        assert_eq!(verdicts(&[10, 10, 11, 9]), [Open, Open, Refused, Full]);
        assert_eq!(verdicts(&[31]), [Full]);
    }

    #[test]
    fn overshoot_closes_with_the_item_that_exceeds_the_limit() {
        use Verdict::*;
        let batching = Batching::DynamicOvershoot {
            base: 3,
            max_items: None,
        };
        let verdicts = verdicts(limit(batching, 10), Padding::Longest, &[10, 10, 10, 1]);
        assert_eq!(verdicts, [Open, Open, Open, Full]);
    }

    #[test]
    fn padding_counts_against_the_budget() {
        let mut fill = Fill::new(limit(BUDGET_30, 99), Padding::Multiple(8), None);
        fill.add(9);
        assert_eq!(fill.padded_length, 16);
        assert!(fill.is_full(), "two would be 32 padded frames");
    }
}
