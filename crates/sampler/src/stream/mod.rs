//! The same strategies where lengths are not known up front: a bounded buffer instead of the whole corpus.
//!
//! Items are pushed as they come. When the buffer is full, the strategy is applied to what it holds: that is one
//! window. What a plan computes from the whole corpus is computed from what is known: bucket boundaries and the range
//! of lengths from the window, the cap of dynamic sizes from the longest item so far. MXNet's buckets are the lengths
//! that are frequent in the whole corpus, and no window knows those: a stream of them is refused.
//!
//! # Batches that are not full
//!
//! Batches that are full are ready to be trained; the items of batches that are not go back into the buffer and meet
//! the next window's, so that a stream does not end every window with short batches. The buffer bounds how many can
//! wait, and what happens at that bound is the strategy's choice for the [last batch](crate::LastBatch):
//!
//! - Where short batches are kept, at most half the buffer waits. If more would, the fullest of the short batches go
//!   out as they are until no more than half does. Nothing is ever dropped.
//! - Where they are dropped, everything waits as long as the window made one full batch, or has room. If it made none
//!   and the buffer is full, nothing could ever come in again: the items of the smallest batches are dropped, with
//!   [`DropReason::BufferFull`], until a quarter of the buffer is free. A larger buffer avoids it. A buffer that is
//!   nearly full of waiting items draws a window for every few that come, which costs time: that too is cured by a
//!   larger one.
//!
//! The last window, after [`finish`](StreamSampler::finish), is settled as a plan is: its short batches are kept or
//! dropped, with [`DropReason::LastBatch`].
//!
//! With a buffer at least as large as the corpus there is one window, and the batches are those of
//! [`Sampler::plan`](crate::Sampler::plan) exactly.

mod settle;
mod state;

use std::collections::VecDeque;

use crate::bounds::MAX_LENGTH;
use crate::error::PlanError;
use crate::order::check_cells;
use crate::plan::{DropReason, Dropped, Span, arrange, draw_batches};
use crate::random::Seeds;
use crate::settings::{Buckets, LastBatch, Order};
use crate::strategy::Strategy;

use settle::settle;
pub use state::{StreamBatch, StreamItem, StreamLedger, StreamState};

/// Builds batches from a stream of sequences.
///
/// ```
/// use padwise_sampler::StreamSampler;
///
/// let mut stream = StreamSampler::new("sorted,batch=4".parse()?, 0, 100)?;
/// let mut batches = 0;
/// for (id, length) in (0..1000u64).map(|i| (i, 50 + (i * 37 % 200) as u32)) {
///     stream.push(id, length)?;
///     while let Some(batch) = stream.pop() {
///         assert_eq!(batch.items.len(), 4);
///         batches += 1;
///     }
/// }
/// stream.finish();
/// batches += std::iter::from_fn(|| stream.pop()).count();
/// assert_eq!(batches, 250);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StreamSampler(StreamState);

impl StreamSampler {
    /// A stream over a buffer of at most this many items: the first epoch.
    pub fn new(strategy: Strategy, seed: u64, capacity: usize) -> Result<Self, PlanError> {
        StreamSampler::for_epoch(strategy, seed, 0, capacity)
    }

    /// A stream for any epoch.
    pub fn for_epoch(
        strategy: Strategy,
        seed: u64,
        epoch: u64,
        capacity: usize,
    ) -> Result<Self, PlanError> {
        StreamSampler::resume(StreamState {
            strategy,
            seed,
            epoch,
            capacity,
            window: 0,
            longest: 0,
            finished: false,
            buffer: Vec::new(),
            ready: VecDeque::new(),
            dropped: Vec::new(),
            ledger: StreamLedger::default(),
        })
    }

    /// Goes on from a state that was kept.
    pub fn resume(state: StreamState) -> Result<Self, PlanError> {
        state.strategy.validate()?;
        if state.strategy.order == Order::Bucketed(Buckets::Mxnet) {
            return Err(PlanError::NotForStreams {
                order: state.strategy.order.to_string(),
                reason: "its buckets are the lengths that are frequent in the whole corpus, which a stream does not know; use bucketed:width, count or optimal",
            });
        }
        let batch_size = state.strategy.batching.size().unwrap_or(1);
        let capacity = state.capacity;
        if capacity < batch_size as usize {
            return Err(PlanError::BufferTooSmall {
                capacity,
                batch_size,
            });
        }
        // A window may hold as many lengths as items; what is refused here cannot fail while drawing.
        if let Order::Bucketed(Buckets::Optimal(buckets)) = state.strategy.order {
            check_cells(buckets, capacity.max(state.buffer.len()))?;
        }
        for item in &state.buffer {
            check_length(item.id, item.length)?;
        }
        Ok(StreamSampler(state))
    }

    /// What to keep in order to resume.
    pub fn state(&self) -> &StreamState {
        &self.0
    }

    /// Where the items went.
    pub fn ledger(&self) -> &StreamLedger {
        &self.0.ledger
    }

    /// Items that wait for company.
    pub fn waiting(&self) -> usize {
        self.0.buffer.len()
    }

    /// Adds one sequence. May make batches ready; [`pop`](Self::pop) takes them.
    pub fn push(&mut self, id: u64, length: u32) -> Result<(), PlanError> {
        if self.0.finished {
            return Err(PlanError::StreamFinished { id });
        }
        check_length(id, length)?;
        let chunks = self.0.strategy.items.chunks();
        for (start, length) in chunks.cut(length) {
            let item = StreamItem { id, start, length };
            self.0.ledger.received += 1;
            if length < chunks.minimum() {
                self.drop_item(item, DropReason::ShorterThanMinimum);
            } else {
                self.add(item);
            }
        }
        Ok(())
    }

    /// Says that there are no more: everything still in the buffer is batched or, where the strategy says so,
    /// dropped.
    pub fn finish(&mut self) {
        if !self.0.finished {
            self.0.finished = true;
            self.draw_window();
        }
    }

    /// The next batch that is ready.
    pub fn pop(&mut self) -> Option<StreamBatch> {
        self.0.ready.pop_front()
    }

    /// The items dropped since this was last asked, with the reasons. They are kept, here and in the state, until
    /// they are asked for: in a stream without end, ask now and then. The [ledger](Self::ledger) counts them either way.
    pub fn take_dropped(&mut self) -> Vec<Dropped<StreamItem>> {
        std::mem::take(&mut self.0.dropped)
    }

    fn add(&mut self, item: StreamItem) {
        // Drawing only when one more comes makes a corpus that just fits one single window.
        if self.0.buffer.len() >= self.0.capacity {
            self.draw_window();
        }
        self.0.longest = self.0.longest.max(item.length);
        self.0.buffer.push(item);
    }

    fn drop_item(&mut self, item: StreamItem, reason: DropReason) {
        self.0.dropped.push(Dropped { item, reason });
        *self.0.ledger.dropped.entry(reason).or_default() += 1;
    }

    fn draw_window(&mut self) {
        let items = std::mem::take(&mut self.0.buffer);
        let seeds = Seeds::new(self.0.seed, self.0.epoch, self.0.window);
        self.0.window += 1;
        let lengths: Vec<u32> = items.iter().map(|item| item.length).collect();
        let drawn = draw_batches(&self.0.strategy, &lengths, self.0.longest, &seeds);
        let Ok((drawn, mut ready)) = drawn else {
            // Orders that can fail were refused when the stream was made. Were one not, nothing would be lost.
            self.0.buffer = items;
            return;
        };
        let item_at = |position: usize| items[drawn.items[position] as usize];
        let items_of = |batches: &[Span]| {
            let positions = batches.iter().flat_map(|batch| batch.range());
            positions.map(item_at).collect::<Vec<StreamItem>>()
        };
        let last_batch = self.0.strategy.last_batch;
        let short = ready.iter().filter(|batch| !batch.is_full).copied();
        let short = short.collect();
        ready.retain(|batch| batch.is_full);
        let (leaving, waiting) = settle(short, last_batch, self.0.capacity, self.0.finished);
        self.0.buffer = items_of(&waiting);
        if last_batch == LastBatch::Keep {
            ready.extend(leaving);
            ready.sort_by_key(|batch| batch.range().start);
        } else {
            let reason = if self.0.finished {
                DropReason::LastBatch
            } else {
                DropReason::BufferFull
            };
            for item in items_of(&leaving) {
                self.drop_item(item, reason);
            }
        }
        arrange(&mut ready, self.0.strategy.batch_order, &seeds);
        for batch in ready {
            self.0.ledger.batched += batch.len();
            self.0.ledger.oversized += usize::from(batch.is_oversized);
            self.0.ready.push_back(StreamBatch {
                items: items_of(&[batch]),
                padded_length: batch.padded_length,
            });
        }
    }
}

fn check_length(id: u64, length: u32) -> Result<(), PlanError> {
    match length {
        1..=MAX_LENGTH => Ok(()),
        _ => Err(PlanError::StreamLength { id, length }),
    }
}
