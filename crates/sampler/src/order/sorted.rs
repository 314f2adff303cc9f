//! Sorted order: by length, shortest first.
//!
//! It needs the least padding and gives nearly the same batches in every epoch. Only items of equal length change
//! places, with the epoch's shuffle (Ge et al., 2021, section 5).

use super::drawn::Drawn;
use crate::radix::{Keyed, keyed_by_length, sorted_stable};
use crate::random::Seeds;

pub(super) fn draw(lengths: &[u32], seeds: &Seeds) -> Drawn {
    Drawn::one_group(&sorted_pairs(lengths, seeds))
}

/// All items sorted by length, with items of equal length in random order.
pub(super) fn sorted_pairs(lengths: &[u32], seeds: &Seeds) -> Vec<Keyed> {
    sorted_stable(keyed_by_length(&seeds.permutation(lengths.len()), lengths))
}
