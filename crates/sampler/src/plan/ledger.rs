//! The account of an epoch: every item is in exactly one batch, or is listed here with the reason why not.

use super::item::Item;

/// Where the items of a corpus went. Those in batches and those listed as dropped are all there are.
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
    /// Why it is in none.
    pub reason: DropReason,
}

/// Why an item is in no batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum DropReason {
    /// It was in the last batch of its group, which was not full, and the strategy drops those.
    LastBatch,
    /// It is longer than the largest bucket that MXNet's rule made.
    LongerThanLargestBucket,
    /// In a stream that drops short batches: the buffer was full, and held no full batch.
    BufferFull,
    /// It is a chunk shorter than the shortest that the strategy keeps.
    ShorterThanMinimum,
}

impl Ledger {
    /// The number of lengths that were planned.
    pub fn sequences(&self) -> usize {
        self.sequences
    }

    /// The number of items made of them: as many, or their chunks. Each is in a batch or [dropped](Self::dropped).
    pub fn items(&self) -> usize {
        self.items
    }

    /// Every item that is in no batch.
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// How many were dropped for this reason.
    pub fn dropped_for(&self, reason: DropReason) -> usize {
        self.dropped.iter().filter(|d| d.reason == reason).count()
    }

    /// Items that exceed the frame budget alone, once they are padded as the strategy says. Each has a batch of its own,
    /// which exceeds it too.
    pub fn oversized(&self) -> &[Item] {
        &self.oversized
    }

    pub(super) fn drop(&mut self, item: Item, reason: DropReason) {
        self.dropped.push(Dropped { item, reason });
    }
}
