//! Batch construction for sequences of different lengths.
//!
//! Sequences in a batch are padded to the longest of them, and padding is computed like everything else. Which
//! sequences share a batch therefore decides how fast a model trains, how much memory it needs and, because similar
//! lengths are similar in other ways too, how well it learns. This crate builds batches in every way that four papers
//! propose, and says what each way costs before anything is trained.
//!
//! # In one minute
//!
//! A [`Strategy`] says how to build batches; a [`Sampler`] is a strategy with a seed; its [`Plan`] for an epoch is a
//! pure function of the lengths.
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
//! // What it costs, against random batches of the same size ...
//! let random = Sampler::new("random,batch=16".parse()?, 42)?.plan(&lengths, 0)?;
//! assert!(plan.stats().zpr < Some(0.2) && random.stats().zpr > Some(0.4));
//!
//! // ... and how random it is: the share of pairs in a batch that meet again in the next epoch.
//! let again = pair_recurrence(&plan, &sampler.plan(&lengths, 1)?).unwrap();
//! assert!(again < 0.2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The four choices
//!
//! | choice | what there is |
//! | --- | --- |
//! | [`Items`] | whole sequences; chunks of a size, with a step and a shortest kept length |
//! | [`Order`] | random; sorted; alternated in bins; semi-sorted; [bucketed](Buckets) by width, by count, as MXNet does, or optimally; smart |
//! | [`Batching`] | a fixed count; a budget of padded frames; dynamic sizes, strict or overshooting; the [last batch](LastBatch) kept or dropped; [padding](Padding) to the longest, to the bucket's width or to a multiple |
//! | [`BatchOrder`] | as built; shuffled; short first; long first |
//!
//! Any combination is a strategy, or is refused with a [`StrategyError`] that says why. Each has a form in TOML and a
//! form on one line, which read to the same type: see [`Strategy`].
//!
//! # What a plan promises
//!
//! - **The same everywhere.** The same lengths, strategy, seed and epoch give the same plan on every machine and in
//!   every version of this crate (within a major one). To resume, keep a [`Position`]: the epoch and the next batch.
//! - **Nothing is lost in silence.** Every item is in exactly one batch, or in the [`Ledger`] with the reason.
//! - **A budget is a budget.** No batch has more padded frames than it allows, except one item that is longer alone;
//!   the ledger lists those. [`Plan::largest_batch`] is the one to try first on a device.
//! - **Ranks stay in step.** [`Plan::shard`] gives every rank the same number of steps and about the same work, and
//!   says what it repeated or left out to do so.
//! - **Ten million lengths** plan in about the time it takes to sort them.
//!
//! Lengths that are not known up front go through a [`StreamSampler`], which applies the same strategies, all but
//! MXNet's buckets, to a bounded buffer. To try a strategy without a corpus at hand, [`Profile`] has the distribution of three.
//!
//! # Features
//!
//! `schemars`, off by default, derives `schemars::JsonSchema` for [`Strategy`], the settings that make it up, and
//! [`Profile`], so that configs which contain them can have a JSON schema.

mod bounds;
mod error;
mod fill;
mod limit;
mod one_line;
mod order;
mod plan;
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
pub use profile::{ParseProfileError, Profile};
pub use settings::{BatchOrder, Batching, Buckets, Chunks, Items, LastBatch, Order, Padding};
pub use strategy::Strategy;
pub use stream::{StreamBatch, StreamItem, StreamLedger, StreamSampler, StreamState};

/// The example in README.md is compiled and run with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
