//! Arranges the items in the strategy's order and cuts them into batches.

use super::span::Span;
use crate::error::PlanError;
use crate::fill::Fill;
use crate::limit::Limit;
use crate::order::{self, Drawn};
use crate::random::Seeds;
use crate::settings::Padding;
use crate::strategy::Strategy;

/// Arranges items with these lengths and cuts them into batches. `longest` is the length of the corpus's longest item.
pub(crate) fn draw_batches(
    strategy: &Strategy,
    lengths: &[u32],
    longest: u32,
    seeds: &Seeds,
) -> Result<(Drawn, Vec<Span>), PlanError> {
    let drawn = order::draw(strategy, lengths, longest, seeds)?;
    let widest = drawn.groups.iter().filter_map(|g| g.bucket_width).max();
    let limit = Limit::new(strategy, longest, widest);
    let batches = cut(&drawn, limit, strategy.padding);
    Ok((drawn, batches))
}

/// Cuts each group into consecutive batches.
fn cut(drawn: &Drawn, limit: Limit, padding: Padding) -> Vec<Span> {
    let mut batches = Vec::new();
    let mut start = 0;
    for group in &drawn.groups {
        let empty = Fill::new(limit, padding, group.bucket_width);
        let mut fill = empty;
        let lengths = &drawn.lengths[start as usize..group.end as usize];
        for (position, &length) in (start..).zip(lengths) {
            if !fill.accepts(length) {
                batches.push(Span::new(position, &fill, true));
                fill = empty;
            }
            fill.add(length);
            if fill.is_full() {
                batches.push(Span::new(position + 1, &fill, true));
                fill = empty;
            }
        }
        if fill.count > 0 {
            batches.push(Span::new(group.end, &fill, group.is_closed));
        }
        start = group.end;
    }
    batches
}
