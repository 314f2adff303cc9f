//! Random order: one shuffle per epoch. The baseline of every paper, with the most padding and the most randomness.

use super::drawn::Drawn;
use crate::random::Seeds;

pub(super) fn draw(lengths: &[u32], seeds: &Seeds) -> Drawn {
    Drawn::from_item_numbers(seeds.permutation(lengths.len()), lengths)
}
