//! Batch construction for sequences of different lengths.
//!
//! The sequences of a batch are padded to the longest one, and models compute on padding as on data. The choice of
//! sequences that share a batch therefore determines training speed and memory. It also affects the loss, because
//! sequences of similar length are similar in other ways. This crate implements the strategies of four papers, and reports
//! the cost of each without training.
//!
//! # Quick start
//!
//! A [`Strategy`] describes how to build batches. A [`Sampler`] is a strategy with a seed. It makes a [`Plan`] for each
//! epoch, which is a pure function of the lengths.
//!
//! ```
//! use padwise_sampler::{Sampler, Strategy, pair_recurrence};
//!
//! let lengths: Vec<u32> = (0..1000).map(|i| 100 + (i * i) % 900).collect();
//! let strategy: Strategy = "semi-sorted:lrf=0.1,batch=16,shuffle-batches".parse()?;
//! let sampler = Sampler::new(strategy, 42)?;
//! let plan = sampler.plan(&lengths, 0)?;
//!
//! for batch in plan.batches() {
//!     // Gather these sequences, pad each to batch.padded_length(), train.
//!     let sequences: Vec<usize> = batch.items().map(|item| item.sequence).collect();
//!     assert_eq!(sequences.len(), batch.len());
//! }
//!
//! // The zero padding rate, compared with random batches of the same size.
//! let random = Sampler::new("random,batch=16".parse()?, 42)?.plan(&lengths, 0)?;
//! assert!(plan.stats().zpr < Some(0.2) && random.stats().zpr > Some(0.4));
//!
//! // Repeat pairs: the fraction of pairs in a batch that share a batch again in the next epoch.
//! let repeated = pair_recurrence(&plan, &sampler.plan(&lengths, 1)?).unwrap();
//! assert!(repeated < 0.2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Settings of a strategy
//!
//! | setting | values |
//! | --- | --- |
//! | [`Items`] | whole sequences; chunks of a fixed size, with a step and a minimum length |
//! | [`Order`] | random; sorted; alternated; semi-sorted; [bucketed](Buckets) by width, by count, as in MXNet, or optimally; smart |
//! | [`Batching`] | a fixed number of items; a budget of padded frames; dynamic sizes, strict or overshooting |
//! | [`LastBatch`] | keep or drop batches that are not full |
//! | [`Padding`] | to the longest item, to the width of the bucket, or to a multiple |
//! | [`BatchOrder`] | as built; shuffled; shortest first; longest first |
//!
//! Settings can be combined freely. Invalid combinations return a [`StrategyError`] with the reason. [`GRAMMAR`] describes
//! the one-line form of strategies.
//!
//! # Guarantees
//!
//! - **Reproducible.** The same lengths, strategy, seed and epoch give the same plan on every machine and in every
//!   version of this crate (within a major version). To resume, save a [`Position`]: the epoch and the next batch.
//! - **Complete.** Every item is either in exactly one batch or listed in the [`Ledger`] with a reason.
//! - **Bounded.** No batch exceeds its frame budget, except a single item that is too long. The ledger lists such items.
//!   [`Plan::largest_batch`] is the batch to test on a device first.
//! - **Balanced.** [`Plan::shard`] gives every rank the same number of steps and similar work. The shard lists the
//!   repeated and the dropped batches. [`portion`] divides a corpus among workers that train apart.
//! - **Fast.** Planning ten million lengths takes about as long as sorting them.
//!
//! If lengths are not known in advance, use a [`StreamSampler`]. It applies the same strategies, except MXNet's buckets,
//! to a bounded buffer. To compare strategies without a corpus, use the length distributions in [`Profile`].
//!
//! # Features
//!
//! Both are off by default.
//!
//! - `serde`: `Serialize` and `Deserialize` for [`Strategy`] and its settings, [`Position`], [`Stats`], [`Ledger`],
//!   [`StreamState`] and [`Profile`]. Strategies can then be written in TOML.
//! - `schemars`: `schemars::JsonSchema` for [`Strategy`], its settings and [`Profile`]. Implies `serde`.
//!
//! # Examples
//!
//! The folder `examples` contains `data_loader.rs`, `sharding.rs` and `streaming.rs`.

mod bounds;
mod error;
pub mod excerpt;
mod fill;
mod limit;
mod one_line;
mod order;
mod plan;
mod portion;
mod profile;
mod radix;
mod random;
mod settings;
mod strategy;
mod stream;
pub mod suggestion;

pub use error::{ParseStrategyError, PlanError, StrategyError};
pub use one_line::GRAMMAR;
pub use order::optimal_boundaries;
pub use plan::{
    Batch, DropReason, Dropped, Item, Ledger, Plan, Position, Sampler, Shard, Stats,
    pair_recurrence,
};
pub use portion::{portion, portion_seed};
pub use profile::{ParseProfileError, Profile};
pub use settings::{BatchOrder, Batching, Buckets, Chunks, Items, LastBatch, Order, Padding};
pub use strategy::Strategy;
pub use stream::{StreamBatch, StreamItem, StreamLedger, StreamSampler, StreamState};

/// Makes the example in README.md a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
