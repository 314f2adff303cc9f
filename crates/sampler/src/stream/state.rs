//! What a stream keeps between two calls: its items, the batches that are ready, and its ledger.

use std::collections::{BTreeMap, VecDeque};

use crate::plan::{DropReason, Dropped};
use crate::strategy::Strategy;

/// All there is to a stream: keep it, and [resume](crate::StreamSampler::resume) from it, at any point between two calls.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct StreamState {
    pub(super) strategy: Strategy,
    pub(super) seed: u64,
    pub(super) epoch: u64,
    pub(super) capacity: usize,
    pub(super) window: u64,
    pub(super) longest: u32,
    pub(super) finished: bool,
    pub(super) buffer: Vec<StreamItem>,
    pub(super) ready: VecDeque<StreamBatch>,
    pub(super) dropped: Vec<Dropped<StreamItem>>,
    pub(super) ledger: StreamLedger,
}

/// An item of a stream: a sequence by its caller's id, or a chunk of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct StreamItem {
    /// The sequence, as the caller knows it.
    pub id: u64,
    /// The first frame; 0 unless the item is a chunk.
    pub start: u32,
    /// The number of frames.
    pub length: u32,
}

/// A batch of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct StreamBatch {
    /// Its items.
    pub items: Vec<StreamItem>,
    /// The number of frames that every item is padded to.
    pub padded_length: u32,
}

/// Where the items of a stream went: those received are the ones batched, dropped, and still in the buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct StreamLedger {
    /// Items pushed; each chunk of a sequence is one.
    pub received: usize,
    /// Items in batches, whether already taken or still to be.
    pub batched: usize,
    /// Of those, items that exceed the frame budget alone, once padded.
    pub oversized: usize,
    /// Items in no batch, by reason.
    pub dropped: BTreeMap<DropReason, usize>,
}
