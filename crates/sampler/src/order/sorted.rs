//! Sorted order: by length, the shortest first. The least padding; the same batches every epoch, but for items of
//! equal length, which come in the order of that epoch's shuffle (Ge et al., 2021, section 5).

use super::drawn::Drawn;
use crate::radix::{Keyed, keyed_by_length, sorted_stable};
use crate::random::Seeds;

pub(super) fn draw(lengths: &[u32], seeds: &Seeds) -> Drawn {
    Drawn::one_group(&sorted_pairs(lengths, seeds))
}

/// All items by length, items of equal length in random order.
pub(super) fn sorted_pairs(lengths: &[u32], seeds: &Seeds) -> Vec<Keyed> {
    sorted_stable(keyed_by_length(&seeds.permutation(lengths.len()), lengths))
}
