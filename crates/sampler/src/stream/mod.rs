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

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::error::PlanError;
use crate::items::Items;
use crate::order::{Buckets, Drawn, Order, check_cells};
use crate::plan::{DropReason, MAX_LENGTH, Span};
use crate::random::Seeds;
use crate::strategy::Strategy;

use settle::{Settled, settle};

/// Builds batches from a stream of utterances.
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

/// All there is to a stream: keep it, and [resume](StreamSampler::resume) from it, at any point between two calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamState {
    strategy: Strategy,
    seed: u64,
    epoch: u64,
    capacity: usize,
    window: u64,
    longest: u32,
    finished: bool,
    buffer: Vec<StreamItem>,
    ready: VecDeque<StreamBatch>,
    dropped: Vec<StreamDropped>,
    ledger: StreamLedger,
}

/// An item of a stream: an utterance by its caller's id, or a chunk of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamItem {
    /// The utterance, as the caller knows it.
    pub id: u64,
    /// The first frame; 0 unless the item is a chunk.
    pub start: u32,
    /// The number of frames.
    pub length: u32,
}

/// A batch of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamBatch {
    /// Its items.
    pub items: Vec<StreamItem>,
    /// The number of frames that every item is padded to.
    pub padded_length: u32,
}

/// An item of a stream that is in no batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamDropped {
    /// The item.
    pub item: StreamItem,
    /// Why it is in none.
    pub reason: DropReason,
}

/// Where the items of a stream went: those received are the ones batched, dropped, and still in the buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamLedger {
    /// Items pushed; each chunk of an utterance is one.
    pub received: u64,
    /// Items in batches, whether already taken or still to be.
    pub batched: u64,
    /// Of those, items that exceed the frame budget alone, once padded.
    pub oversized: u64,
    /// Items in no batch, by reason.
    pub dropped: BTreeMap<DropReason, u64>,
}

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
        if state.capacity < batch_size as usize {
            return Err(PlanError::BufferTooSmall {
                capacity: state.capacity,
                batch_size,
            });
        }
        // A window may hold as many lengths as items; what is refused here cannot fail while drawing.
        if let Order::Bucketed(Buckets::Optimal(buckets)) = state.strategy.order {
            check_cells(buckets, state.capacity.max(state.buffer.len()))?;
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

    /// Adds one utterance. May make batches ready; [`pop`](Self::pop) takes them.
    pub fn push(&mut self, id: u64, length: u32) -> Result<(), PlanError> {
        if self.0.finished {
            return Err(PlanError::StreamFinished { id });
        }
        check_length(id, length)?;
        match self.0.strategy.items {
            Items::Utterances => self.add(StreamItem {
                id,
                start: 0,
                length,
            }),
            Items::Chunks(chunks) => {
                for (start, length) in chunks.cut(length) {
                    let item = StreamItem { id, start, length };
                    if length < chunks.minimum() {
                        self.0.ledger.received += 1;
                        self.drop_item(item, DropReason::ShorterThanMinimum);
                    } else {
                        self.add(item);
                    }
                }
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
    pub fn take_dropped(&mut self) -> Vec<StreamDropped> {
        std::mem::take(&mut self.0.dropped)
    }

    fn add(&mut self, item: StreamItem) {
        // Drawing only when one more comes makes a corpus that just fits one single window.
        if self.0.buffer.len() >= self.0.capacity {
            self.draw_window();
        }
        self.0.ledger.received += 1;
        self.0.longest = self.0.longest.max(item.length);
        self.0.buffer.push(item);
    }

    fn drop_item(&mut self, item: StreamItem, reason: DropReason) {
        self.0.dropped.push(StreamDropped { item, reason });
        *self.0.ledger.dropped.entry(reason).or_default() += 1;
    }

    fn draw_window(&mut self) {
        let items = std::mem::take(&mut self.0.buffer);
        let seeds = Seeds {
            seed: self.0.seed,
            epoch: self.0.epoch,
            window: self.0.window,
        };
        self.0.window += 1;
        let lengths: Vec<u32> = items.iter().map(|item| item.length).collect();
        let drawn = crate::plan::draw(&self.0.strategy, &lengths, self.0.longest, &seeds);
        let Ok(Drawn { groups, batches }) = drawn else {
            // Orders that can fail were refused when the stream was made. Were one not, nothing would be lost.
            self.0.buffer = items;
            return;
        };
        let item_at = |position: usize| items[groups.order[position] as usize];
        let (mut ready, short): (Vec<Span>, Vec<Span>) =
            batches.into_iter().partition(|batch| batch.is_full);
        let Settled {
            goes_out,
            waits,
            dropped,
        } = settle(
            short,
            self.0.strategy.last_batch,
            self.0.capacity,
            self.0.finished,
        );
        if !goes_out.is_empty() {
            ready.extend(goes_out);
            ready.sort_by_key(|batch| batch.range().start);
        }
        self.0.strategy.batch_order.arrange(&mut ready, &seeds);
        for batch in ready {
            self.0.ledger.batched += batch.range().len() as u64;
            self.0.ledger.oversized += u64::from(batch.is_oversized());
            self.0.ready.push_back(StreamBatch {
                items: batch.range().map(item_at).collect(),
                padded_length: batch.padded_length,
            });
        }
        self.0.buffer = waits.iter().flat_map(|b| b.range()).map(item_at).collect();
        let reason = if self.0.finished {
            DropReason::LastBatch
        } else {
            DropReason::BufferFull
        };
        for position in dropped.iter().flat_map(|b| b.range()) {
            self.drop_item(item_at(position), reason);
        }
    }
}

fn check_length(id: u64, length: u32) -> Result<(), PlanError> {
    match length {
        1..=MAX_LENGTH => Ok(()),
        _ => Err(PlanError::StreamLength { id, length }),
    }
}
