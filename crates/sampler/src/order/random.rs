//! Random order: one shuffle an epoch. The baseline of every paper, with the most padding and the most randomness.

use super::Groups;
use crate::random::Seeds;

pub(super) fn order(lengths: &[u32], seeds: &Seeds) -> Groups {
    Groups::whole(seeds.permutation(lengths.len()), lengths)
}
