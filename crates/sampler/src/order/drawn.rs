//! The result of an order: a sequence of items in groups. No batch contains items of two groups.

use crate::radix::Keyed;

/// Items in drawing order.
pub(crate) struct Drawn {
    /// Item numbers.
    pub items: Vec<u32>,
    /// The length of each item, in the same order, for sequential reads.
    pub lengths: Vec<u32>,
    pub groups: Vec<Group>,
    /// Items in no group: those longer than MXNet's largest bucket.
    pub too_long: Vec<u32>,
}

/// Consecutive items that share no batch with other groups.
pub(crate) struct Group {
    /// The position after the group's last item.
    pub end: u32,
    /// The length that `pad=bucket` pads to.
    pub bucket_width: Option<u32>,
    /// Whether the group is a batch that the order closed. It counts as full even if more items fit.
    pub is_closed: bool,
}

impl Drawn {
    /// Items keyed by their lengths.
    pub(super) fn new(items: &[Keyed], groups: Vec<Group>) -> Self {
        Drawn {
            items: items.iter().map(|pair| pair.item).collect(),
            lengths: items.iter().map(|pair| pair.key).collect(),
            groups,
            too_long: Vec::new(),
        }
    }

    /// Items keyed by their lengths, in one group.
    pub(super) fn one_group(items: &[Keyed]) -> Self {
        Drawn::new(items, vec![Group::open(items.len(), None)])
    }

    /// Items by number, in one group. `lengths` is indexed by item number.
    pub(super) fn from_item_numbers(items: Vec<u32>, lengths: &[u32]) -> Self {
        Drawn {
            groups: vec![Group::open(items.len(), None)],
            lengths: items.iter().map(|&item| lengths[item as usize]).collect(),
            items,
            too_long: Vec::new(),
        }
    }
}

impl Group {
    /// A group to be cut into batches.
    pub(super) fn open(end: usize, bucket_width: Option<u32>) -> Self {
        Group {
            end: end as u32,
            bucket_width,
            is_closed: false,
        }
    }
}
