//! Sorted order: by length, the shortest first. The least padding; the same batches every epoch, but for items of
//! equal length, which come in the order of that epoch's shuffle (Ge et al., 2021, section 5).

use super::Groups;
use crate::radix::{Keyed, keyed_by_length, sorted_stable};
use crate::random::Seeds;

pub(super) fn order(lengths: &[u32], seeds: &Seeds) -> Groups {
    Groups::from_sorted(&sorted_pairs(lengths, seeds), |pair| pair.key)
}

/// All items by length, items of equal length in random order.
pub(super) fn sorted_pairs(lengths: &[u32], seeds: &Seeds) -> Vec<Keyed> {
    sorted_stable(keyed_by_length(&seeds.permutation(lengths.len()), lengths))
}
