//! Buckets of equal count: sort, and cut into runs of as many items. The "bucket batching" of Ge et al.,
//! "Semi-sorted batching" (2021), section 3, who use 1,024 (a multiple of the batch size leaves no short batch but
//! the last). A bucket is as wide as its longest item.

use super::Group;
use crate::radix::Keyed;

pub(super) fn groups(sorted: &[Keyed], count: u32) -> Vec<Group> {
    let mut end = 0;
    sorted
        .chunks(count as usize)
        .map(|run| {
            end += run.len() as u32;
            Group {
                end,
                width: run.last().map(|longest| longest.key),
            }
        })
        .collect()
}
