//! What becomes of the batches of a window that are not full: the rule at the top of [`stream`](super).

use std::cmp::Reverse;

use crate::batching::LastBatch;
use crate::plan::Span;

/// The short batches of a window, by what becomes of them.
pub(super) struct Settled {
    pub goes_out: Vec<Span>,
    pub waits: Vec<Span>,
    pub dropped: Vec<Span>,
}

pub(super) fn settle(
    mut short: Vec<Span>,
    last_batch: LastBatch,
    capacity: usize,
    finished: bool,
) -> Settled {
    let size = |batch: &Span| batch.range().len();
    let waiting: usize = short.iter().map(size).sum();
    let can_wait = match last_batch {
        _ if finished => 0,
        LastBatch::Keep => capacity / 2,
        // Where a full batch came out, fewer than the whole buffer are left.
        LastBatch::Drop if waiting < capacity => waiting,
        LastBatch::Drop => capacity - (capacity / 4).max(1),
    };
    // Those that leave the buffer first: the fullest, or where they would be lost, the smallest.
    let mut first_to_leave: Vec<usize> = (0..short.len()).collect();
    match last_batch {
        LastBatch::Keep => first_to_leave.sort_by_key(|&i| Reverse(size(&short[i]))),
        LastBatch::Drop => first_to_leave.sort_by_key(|&i| size(&short[i])),
    }
    let mut leaves = vec![false; short.len()];
    let mut still_waiting = waiting;
    for i in first_to_leave {
        if still_waiting <= can_wait {
            break;
        }
        leaves[i] = true;
        still_waiting -= size(&short[i]);
    }
    let mut leaves = leaves.into_iter();
    let leaving: Vec<Span> = short
        .extract_if(.., |_| leaves.next() == Some(true))
        .collect();
    let (goes_out, dropped) = match last_batch {
        LastBatch::Keep => (leaving, Vec::new()),
        LastBatch::Drop => (Vec::new(), leaving),
    };
    Settled {
        goes_out,
        waits: short,
        dropped,
    }
}
