//! The record of a plan file: one batch, with the ids of its utterances.

use std::borrow::Cow;

use padwise_sampler::{Batch, Items, Shard, Strategy};
use serde::Serialize;

use crate::lengths::Ids;

/// One batch of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Record<'a> {
    /// The epoch, from 0.
    pub epoch: u64,
    /// The number of the batch in this epoch of this rank, from 0.
    pub batch: usize,
    /// The number of frames that every item is padded to.
    pub padded_length: u32,
    /// The utterance of each item.
    pub ids: Vec<Cow<'a, str>>,
    /// The first frame of each item; only if items are chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts: Option<Vec<u32>>,
    /// The number of frames of each item; only if items are chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lengths: Option<Vec<u32>>,
}

/// The batches of one epoch that one rank trains.
#[derive(Clone, Copy, Debug)]
pub struct Epoch<'a> {
    /// The number of the epoch, from 0.
    pub number: u64,
    shard: &'a Shard<'a>,
    ids: &'a Ids,
    /// Whether items are chunks of utterances.
    pub has_chunks: bool,
}

impl<'a> Epoch<'a> {
    pub(super) fn new(
        number: u64,
        shard: &'a Shard<'a>,
        ids: &'a Ids,
        strategy: &Strategy,
    ) -> Self {
        Epoch {
            number,
            shard,
            ids,
            has_chunks: strategy.items != Items::Sequences,
        }
    }

    /// The number of batches.
    pub fn len(&self) -> usize {
        self.shard.len()
    }

    /// Whether there are no batches.
    pub fn is_empty(&self) -> bool {
        self.shard.is_empty()
    }

    /// The batches in training order.
    pub fn batches(&self) -> impl Iterator<Item = Batch<'a>> + use<'a> {
        self.shard.batches()
    }

    /// The batches in training order, with ids.
    pub fn records(&self) -> impl Iterator<Item = Record<'a>> + use<'a> {
        let Epoch {
            number,
            ids,
            has_chunks,
            ..
        } = *self;
        self.batches().enumerate().map(move |(step, batch)| Record {
            epoch: number,
            batch: step,
            padded_length: batch.padded_length(),
            ids: batch.items().map(|item| ids.get(item.sequence)).collect(),
            starts: has_chunks.then(|| batch.items().map(|item| item.start).collect()),
            lengths: has_chunks.then(|| batch.lengths().to_vec()),
        })
    }
}
