//! Decides which short batches of a window leave the buffer. The rule is described in [`stream`](super).

use crate::plan::Span;
use crate::settings::LastBatch;

/// Returns the short batches that leave the buffer, and those that wait in it, both in the order they were built.
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
        // If the window had a full batch, the buffer has room again.
        LastBatch::Drop if waiting < capacity => waiting,
        LastBatch::Drop => capacity - (capacity / 4).max(1),
    };
    // The batches that leave first: the fullest if they are trained, the smallest if they are dropped.
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
