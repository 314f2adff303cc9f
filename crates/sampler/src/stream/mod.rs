//! Streaming: batches from lengths that are not known in advance, through a bounded buffer.
//!
//! Items are pushed as they arrive. When the buffer is full, the strategy is applied to its items: this is one window.
//! A plan looks at the whole corpus; a stream estimates from the items so far. Bucket boundaries and the range of lengths
//! come from the window. The limit of dynamic sizes comes from the longest item so far. MXNet's buckets depend on the
//! whole corpus, so streams do not support them.
//!
//! # Batches that are not full
//!
//! Full batches are ready for training. Items of short batches return to the buffer and join the next window, so windows
//! do not end with short batches. The buffer limits how many items can wait. At the limit, the strategy's setting for the
//! [last batch](crate::LastBatch) decides:
//!
//! - `Keep`: at most half of the buffer waits. Beyond that, the fullest short batches are trained as they are. Nothing is
//!   dropped.
//! - `Drop`: all items wait if the window had a full batch, or if the buffer has room. Otherwise the items of the
//!   smallest batches are dropped with [`DropReason::BufferFull`], until a quarter of the buffer is free.
//!
//! A larger buffer avoids these drops. It also saves time: if waiting items nearly fill the buffer, every few arrivals
//! start a new window.
//!
//! After [`finish`](StreamSampler::finish), the last window is treated like a plan: its short batches are kept, or
//! dropped with [`DropReason::LastBatch`].
//!
//! # Order of batches
//!
//! The [order of batches](crate::BatchOrder) applies to each window: a stream never reorders batches of different windows.
//! With `ShuffledLater`, no window of epoch 0 is shuffled, and every window of a later epoch is. Start each epoch with
//! [`StreamSampler::for_epoch`]; a stream that stays in epoch 0 is never shuffled.
//!
//! If the buffer is at least as large as the corpus, there is one window, and the batches equal those of
//! [`Sampler::plan`](crate::Sampler::plan).

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
    /// Creates a stream for epoch 0 with a buffer of `capacity` items.
    pub fn new(strategy: Strategy, seed: u64, capacity: usize) -> Result<Self, PlanError> {
        StreamSampler::for_epoch(strategy, seed, 0, capacity)
    }

    /// Creates a stream for the given epoch.
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

    /// Continues from a saved state.
    pub fn resume(state: StreamState) -> Result<Self, PlanError> {
        state.strategy.validate()?;
        if state.strategy.order == Order::Bucketed(Buckets::Mxnet) {
            return Err(PlanError::NotForStreams {
                order: state.strategy.order.to_string(),
                reason: "its buckets depend on the whole corpus; use bucketed:width, count or optimal",
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
        // A window can have as many distinct lengths as items. Checking the limit here keeps planning a window from failing later.
        if let Order::Bucketed(Buckets::Optimal(buckets)) = state.strategy.order {
            check_cells(buckets, capacity.max(state.buffer.len()))?;
        }
        for item in &state.buffer {
            check_length(item.id, item.length)?;
        }
        Ok(StreamSampler(state))
    }

    /// The state to save in a checkpoint.
    pub fn state(&self) -> &StreamState {
        &self.0
    }

    /// The account of all items.
    pub fn ledger(&self) -> &StreamLedger {
        &self.0.ledger
    }

    /// The number of items in the buffer.
    pub fn waiting(&self) -> usize {
        self.0.buffer.len()
    }

    /// Adds one sequence. This can complete batches; [`pop`](Self::pop) returns them.
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

    /// Ends the stream. The items in the buffer are batched or, with [`LastBatch::Drop`], dropped.
    pub fn finish(&mut self) {
        if !self.0.finished {
            self.0.finished = true;
            self.draw_window();
        }
    }

    /// Returns the next ready batch.
    pub fn pop(&mut self) -> Option<StreamBatch> {
        self.0.ready.pop_front()
    }

    /// Returns the items dropped since the last call, with reasons.
    ///
    /// The state stores dropped items until this call, so call it regularly in an endless stream. The
    /// [ledger](Self::ledger) counts them in any case.
    pub fn take_dropped(&mut self) -> Vec<Dropped<StreamItem>> {
        std::mem::take(&mut self.0.dropped)
    }

    fn add(&mut self, item: StreamItem) {
        // Waiting for one more item makes a corpus of exactly the buffer's size a single window.
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
            // `resume` rejects the orders that can fail here. If one slips through, no item is lost.
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
