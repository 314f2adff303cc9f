//! What becomes of the batches of a window that are not full: the rule at the top of [`stream`](super).

use crate::plan::Span;
use crate::settings::LastBatch;

/// The short batches of a window that leave the buffer, and those that wait in it, each in the order they were built.
pub(super) fn settle(
    mut short: Vec<Span>,
    last_batch: LastBatch,
    capacity: usize,
    is_finished: bool,
) -> (Vec<Span>, Vec<Span>) {
    let mut waiting: usize = short.iter().map(Span::len).sum();
    let can_wait = match last_batch {
        _ if is_finished => 0,
        LastBatch::Keep => capacity / 2,
        // Where a full batch came out, fewer than the whole buffer are left.
        LastBatch::Drop if waiting < capacity => waiting,
        LastBatch::Drop => capacity - (capacity / 4).max(1),
    };
    // Those that leave the buffer first: the fullest, or where they would be lost, the smallest.
    short.sort_by_key(|batch| match last_batch {
        LastBatch::Keep => usize::MAX - batch.len(),
        LastBatch::Drop => batch.len(),
    });
    let leaves = short.iter().take_while(|batch| {
        let leaves = waiting > can_wait;
        waiting -= batch.len();
        leaves
    });
    let mut still_waiting = short.split_off(leaves.count());
    for batches in [&mut short, &mut still_waiting] {
        batches.sort_by_key(|batch| batch.range().start);
    }
    (short, still_waiting)
}
