//! The state of a stream between two calls: waiting items, ready batches and the ledger.

use std::collections::{BTreeMap, VecDeque};

use crate::plan::{DropReason, Dropped};
use crate::strategy::Strategy;

/// The complete state of a stream. Save it between any two calls to [resume](crate::StreamSampler::resume) later.
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

/// An item of a stream: a sequence, or a chunk of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct StreamItem {
    /// The caller's id of the sequence.
    pub id: u64,
    /// The first frame. It is 0 for whole sequences.
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
    /// The items.
    pub items: Vec<StreamItem>,
    /// The number of frames that every item is padded to.
    pub padded_length: u32,
}

/// The account of a stream's items: each received item is batched, dropped or still in the buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct StreamLedger {
    /// Items received. Each chunk of a sequence counts.
    pub received: usize,
    /// Items in batches, including batches that are not taken yet.
    pub batched: usize,
    /// Batched items that exceed the frame budget once padded.
    pub oversized: usize,
    /// Dropped items, by reason.
    pub dropped: BTreeMap<DropReason, usize>,
}
