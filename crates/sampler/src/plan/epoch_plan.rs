//! The batches of one epoch, and the view of one batch.

use std::cmp::Reverse;

use super::item::Item;
use super::item_table::Origin;
use super::ledger::Ledger;
use super::span::Span;
use crate::settings::LastBatch;

/// The batches of one epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub(super) epoch: u64,
    pub(super) last_batch: LastBatch,
    /// Item numbers in drawing order.
    pub(super) items: Vec<u32>,
    /// The length of each item, in the same order.
    pub(super) lengths: Vec<u32>,
    /// Indexed by item number; `None` if items are whole sequences.
    pub(super) origins: Option<Vec<Origin>>,
    pub(super) batches: Vec<Span>,
    pub(super) ledger: Ledger,
}

/// One batch of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'plan> {
    plan: &'plan Plan,
    index: usize,
    span: Span,
}

impl Plan {
    /// The epoch of this plan.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The number of batches.
    pub fn len(&self) -> usize {
        self.batches.len()
    }

    /// Whether the plan has no batches, for example because every item was dropped.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// A batch by its index in the epoch.
    pub fn batch(&self, index: usize) -> Option<Batch<'_>> {
        let span = *self.batches.get(index)?;
        let plan = self;
        Some(Batch { plan, index, span })
    }

    /// All batches in training order.
    pub fn batches(&self) -> impl ExactSizeIterator<Item = Batch<'_>> {
        self.batches_from(0)
    }

    /// The batches from this index on, to resume an interrupted epoch.
    pub fn batches_from(&self, index: usize) -> impl ExactSizeIterator<Item = Batch<'_>> {
        let plan = self;
        let batches = self.batches.iter().enumerate().skip(index);
        batches.map(move |(index, &span)| Batch { plan, index, span })
    }

    /// The batch with the most padded frames, which determines the memory that an epoch needs. Ties go to the batch
    /// with the longest items.
    pub fn largest_batch(&self) -> Option<Batch<'_>> {
        let size = |batch: &Batch| (batch.padded_frames(), batch.padded_length());
        self.batches()
            .max_by_key(|batch| (size(batch), Reverse(batch.index)))
    }

    /// The account of every item: batched or dropped.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The number of items that have a number. Chunks below the minimum have none.
    pub(super) fn item_count(&self) -> usize {
        let origins = self.origins.as_ref();
        origins.map_or(self.ledger.sequences, Vec::len)
    }

    pub(super) fn item(&self, number: u32, length: u32) -> Item {
        let origins = self.origins.as_ref();
        let origin = origins.map(|origins| origins[number as usize]);
        Item {
            sequence: origin.map_or(number, |origin| origin.sequence) as usize,
            start: origin.map_or(0, |origin| origin.start),
            length,
        }
    }

    pub(super) fn items_of(&self, batches: &[Span]) -> Vec<Item> {
        let batches = batches.iter();
        batches.flat_map(|&span| self.items_in(span)).collect()
    }

    fn items_in(&self, span: Span) -> impl ExactSizeIterator<Item = Item> {
        self.items[span.range()]
            .iter()
            .zip(&self.lengths[span.range()])
            .map(|(&number, &length)| self.item(number, length))
    }
}

impl<'plan> Batch<'plan> {
    /// The index of the batch in the epoch.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.span.len()
    }

    /// Always false: a batch has at least one item.
    pub fn is_empty(&self) -> bool {
        self.span.len() == 0
    }

    /// The number of frames that every item is padded to.
    pub fn padded_length(&self) -> u32 {
        self.span.padded_length
    }

    /// The number of items times the padded length. Computation and memory are proportional to it.
    pub fn padded_frames(&self) -> u64 {
        self.span.padded_frames()
    }

    /// The number of frames without padding.
    pub fn valid_frames(&self) -> u64 {
        self.lengths().iter().map(|&l| u64::from(l)).sum()
    }

    /// The zero padding rate of Ge et al. (2021), equation 1: 1 − mean length / padded length.
    pub fn zero_padding_rate(&self) -> f64 {
        1.0 - self.valid_frames() as f64 / self.padded_frames() as f64
    }

    /// The length of each item.
    pub fn lengths(&self) -> &'plan [u32] {
        &self.plan.lengths[self.span.range()]
    }

    /// The items.
    pub fn items(&self) -> impl ExactSizeIterator<Item = Item> + use<'plan> {
        self.plan.items_in(self.span)
    }
}
