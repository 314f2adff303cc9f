//! One batch while it is being filled: the rule that decides whether the next item still belongs in it.

/// When a batch is full, in numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    Count(u32),
    /// The budget is never passed, except by an item that is larger alone.
    Frames {
        budget: u64,
        max_items: Option<u32>,
    },
    /// The item that passes the cap is the batch's last.
    Overshoot {
        cap: u64,
        max_items: Option<u32>,
    },
}

/// How the longest item of a batch becomes the batch's length.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pad {
    Multiple(u32),
    Width(u32),
}

impl Pad {
    pub(crate) fn length(self, longest: u32) -> u32 {
        match self {
            Pad::Multiple(multiple) => longest.next_multiple_of(multiple),
            Pad::Width(width) => width,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The item belongs in the next batch.
    Refused,
    /// The item is in, and another may follow.
    Open,
    /// The item is in, and no other may follow.
    Full,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    limit: Limit,
    pad: Pad,
    count: u32,
    padded_length: u32,
}

impl Fill {
    pub(crate) fn new(limit: Limit, pad: Pad) -> Self {
        Fill {
            limit,
            pad,
            count: 0,
            padded_length: 0,
        }
    }

    pub(crate) fn offer(&mut self, length: u32) -> Verdict {
        let padded_length = self.padded_length.max(self.pad.length(length));
        let frames = u64::from(self.count + 1) * u64::from(padded_length);
        if let Limit::Frames { budget, .. } = self.limit
            && frames > budget
            && self.count > 0
        {
            return Verdict::Refused;
        }
        self.count += 1;
        self.padded_length = padded_length;
        if self.is_full() {
            Verdict::Full
        } else {
            Verdict::Open
        }
    }

    /// Whether not even another item of the batch's own length could come in.
    pub(crate) fn is_full(&self) -> bool {
        let frames = |count: u32| u64::from(count) * u64::from(self.padded_length);
        let at_most = |max_items: Option<u32>| max_items.is_some_and(|most| self.count >= most);
        match self.limit {
            Limit::Count(size) => self.count >= size,
            Limit::Frames { budget, max_items } => {
                at_most(max_items) || frames(self.count + 1) > budget
            }
            Limit::Overshoot { cap, max_items } => at_most(max_items) || frames(self.count) > cap,
        }
    }

    /// Whether the batch is one item that breaks the budget alone.
    pub(crate) fn is_oversized(&self) -> bool {
        matches!(self.limit, Limit::Frames { budget, .. }
            if self.count == 1 && u64::from(self.padded_length) > budget)
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn padded_length(&self) -> u32 {
        self.padded_length
    }

    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.padded_length = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(limit: Limit, lengths: &[u32]) -> Vec<Verdict> {
        let mut fill = Fill::new(limit, Pad::Multiple(1));
        lengths.iter().map(|&l| fill.offer(l)).collect()
    }

    #[test]
    fn a_budget_is_filled_but_never_passed() {
        use Verdict::*;
        let limit = Limit::Frames {
            budget: 30,
            max_items: None,
        };
        assert_eq!(verdicts(limit, &[10, 10, 10]), [Open, Open, Full]);
        assert_eq!(
            verdicts(limit, &[10, 10, 11, 9]),
            [Open, Open, Refused, Full]
        );
        assert_eq!(verdicts(limit, &[31]), [Full]);
    }

    #[test]
    fn overshoot_closes_with_the_item_that_passes_the_cap() {
        use Verdict::*;
        let limit = Limit::Overshoot {
            cap: 30,
            max_items: None,
        };
        assert_eq!(verdicts(limit, &[10, 10, 10, 1]), [Open, Open, Open, Full]);
    }

    #[test]
    fn padding_counts_against_the_budget() {
        let limit = Limit::Frames {
            budget: 30,
            max_items: None,
        };
        let mut fill = Fill::new(limit, Pad::Multiple(8));
        assert_eq!(fill.offer(9), Verdict::Full); // 16 padded frames; two would be 32
        assert_eq!(fill.padded_length(), 16);
    }
}
