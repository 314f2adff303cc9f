//! Buckets of equal width: boundaries at every multiple of a number of frames, as users of MXNet give them
//! (Doetsch, Golik and Ney, 2017, section 3 and figure 1). The widest bucket reaches past the longest item, so that
//! nothing is dropped. Easy to state, and blind to where the lengths are.

use super::Group;
use crate::radix::Keyed;

pub(super) fn groups(sorted: &[Keyed], width: u32) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (end, pair) in (1..).zip(sorted) {
        let bucket = pair.key.next_multiple_of(width);
        match groups.last_mut() {
            Some(group) if group.width == Some(bucket) => group.end = end,
            _ => groups.push(Group {
                end,
                width: Some(bucket),
            }),
        }
    }
    groups
}
