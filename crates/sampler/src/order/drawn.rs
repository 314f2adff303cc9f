//! What an order makes of the items: a sequence of them, in groups that no batch may cross.

use crate::radix::Keyed;

/// Items in the order in which they are drawn.
pub(crate) struct Drawn {
    /// Item numbers.
    pub items: Vec<u32>,
    /// The length of each, in the same order: whatever follows reads them one after the other.
    pub lengths: Vec<u32>,
    pub groups: Vec<Group>,
    /// Items that no group takes: those longer than MXNet's largest bucket.
    pub too_long: Vec<u32>,
}

/// Consecutive items that share no batch with any other's.
pub(crate) struct Group {
    /// One past the position of its last item.
    pub end: u32,
    /// What `pad=bucket` pads to.
    pub bucket_width: Option<u32>,
    /// Whether the group is a batch that the order itself closed: it counts as full, whatever would still fit.
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

    /// Items by number, in one group; `lengths` has the length of each number.
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
    /// A group that is cut into batches.
    pub(super) fn open(end: usize, bucket_width: Option<u32>) -> Self {
        Group {
            end: end as u32,
            bucket_width,
            is_closed: false,
        }
    }
}
