//! Cuts ordered groups of items into batches.

use super::{Fill, Limit, Padding, Verdict};
use crate::order::Groups;
use crate::plan::Span;

/// Batches in the order of their items; none crosses a group.
pub(crate) fn cut(groups: &Groups, limit: Limit, padding: Padding) -> Vec<Span> {
    let mut batches = Vec::new();
    let mut start = 0;
    for group in &groups.groups {
        let mut fill = Fill::new(limit, padding.within(group.width));
        for (position, &length) in
            (start..).zip(&groups.lengths[start as usize..group.end as usize])
        {
            let mut verdict = fill.offer(length);
            if verdict == Verdict::Refused {
                batches.push(Span::closed(position - fill.count(), &fill));
                fill.clear();
                verdict = fill.offer(length);
            }
            if verdict == Verdict::Full {
                batches.push(Span::closed(position + 1 - fill.count(), &fill));
                fill.clear();
            }
        }
        if fill.count() > 0 {
            batches.push(Span::left_over(group.end - fill.count(), &fill));
        }
        start = group.end;
    }
    batches
}
