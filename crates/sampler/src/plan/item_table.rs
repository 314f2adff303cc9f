//! The items of a corpus, sequences or chunks, by item number.

use std::borrow::Cow;

use super::item::Item;
use super::ledger::{DropReason, Dropped};
use crate::bounds::MAX_ITEMS;
use crate::error::PlanError;
use crate::settings::Items;

/// The sequence and the first frame of an item. Lengths are stored separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub sequence: u32,
    pub start: u32,
}

/// Every item of a corpus, by item number.
pub(super) struct ItemTable<'a> {
    pub lengths: Cow<'a, [u32]>,
    /// `None` if items are whole sequences. Item numbers are then sequence numbers.
    pub origins: Option<Vec<Origin>>,
    /// Chunks below the minimum, which have no number.
    pub dropped: Vec<Dropped>,
}

impl<'a> ItemTable<'a> {
    pub(super) fn new(items: Items, sequences: &'a [u32]) -> Result<Self, PlanError> {
        let mut table = ItemTable {
            lengths: sequences.into(),
            origins: None,
            dropped: Vec::new(),
        };
        let Items::Chunks(chunks) = items else {
            return Ok(table);
        };
        let items: u64 = sequences.iter().map(|&length| chunks.count(length)).sum();
        if items > MAX_ITEMS as u64 {
            return Err(PlanError::TooManyItems { items });
        }
        let (mut lengths, mut origins) = (Vec::new(), Vec::new());
        for (sequence, &length) in sequences.iter().enumerate() {
            for (start, length) in chunks.cut(length) {
                let item = Item {
                    sequence,
                    start,
                    length,
                };
                if length < chunks.minimum() {
                    let reason = DropReason::ShorterThanMinimum;
                    table.dropped.push(Dropped { item, reason });
                } else {
                    lengths.push(length);
                    let sequence = sequence as u32;
                    origins.push(Origin { sequence, start });
                }
            }
        }
        table.lengths = lengths.into();
        table.origins = Some(origins);
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::MAX_LENGTH;
    use crate::settings::Chunks;

    #[test]
    fn too_many_chunks_are_refused_before_they_are_allocated() {
        let items = Items::Chunks(Chunks::new(1));
        let refused = ItemTable::new(items, &[MAX_LENGTH; 1000]);
        let items = 1000 * u64::from(MAX_LENGTH);
        assert_eq!(refused.err(), Some(PlanError::TooManyItems { items }));
    }

    #[test]
    fn chunks_below_the_minimum_are_dropped() {
        let items = Items::Chunks(Chunks {
            minimum: Some(25),
            ..Chunks::new(50)
        });
        let table = ItemTable::new(items, &[60, 80, 10]).expect("a table");
        assert_eq!(table.lengths.as_ref(), [50, 50, 30]);
        let dropped: Vec<_> = table
            .dropped
            .iter()
            .map(|d| (d.item.sequence, d.item.start, d.item.length))
            .collect();
        assert_eq!(dropped, [(0, 50, 10), (2, 0, 10)]);
    }
}
