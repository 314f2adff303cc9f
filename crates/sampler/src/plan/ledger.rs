//! The ledger of an epoch: every item is either in exactly one batch or listed here with a reason.

use super::item::Item;

/// The account of all items: each is either in exactly one batch or listed as dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ledger {
    #[cfg_attr(feature = "serde", serde(rename = "utterances"))]
    pub(super) sequences: usize,
    pub(super) items: usize,
    pub(super) dropped: Vec<Dropped>,
    pub(super) oversized: Vec<Item>,
}

/// An item that is in no batch of this epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Dropped<I = Item> {
    /// The item.
    pub item: I,
    /// Why it was dropped.
    pub reason: DropReason,
}

/// Why an item is in no batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum DropReason {
    /// Its batch was not full, and the strategy drops such batches.
    LastBatch,
    /// It is longer than the largest of MXNet's buckets.
    LongerThanLargestBucket,
    /// Streams with `drop-last` only: the buffer was full but contained no full batch.
    BufferFull,
    /// It is a chunk below the strategy's minimum length.
    ShorterThanMinimum,
}

impl Ledger {
    /// The number of planned sequences.
    pub fn sequences(&self) -> usize {
        self.sequences
    }

    /// The number of items: sequences, or chunks. Each is in a batch or [dropped](Self::dropped).
    pub fn items(&self) -> usize {
        self.items
    }

    /// The items in no batch.
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// The number of items dropped for this reason.
    pub fn dropped_for(&self, reason: DropReason) -> usize {
        self.dropped.iter().filter(|d| d.reason == reason).count()
    }

    /// Items that exceed the frame budget once padded. Each forms a batch alone, which exceeds the budget.
    pub fn oversized(&self) -> &[Item] {
        &self.oversized
    }

    pub(super) fn drop(&mut self, item: Item, reason: DropReason) {
        self.dropped.push(Dropped { item, reason });
    }
}
