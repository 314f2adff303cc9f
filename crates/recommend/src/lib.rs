//! Recommends a batch-construction strategy for a corpus and a device, without training.
//!
//! Three things decide: how long an epoch takes, how random batches are, and whether the model learns as well as with random
//! batches. The first follows from the lengths of the utterances and a [cost model](cost) of the device, which `padwise bench cost`
//! measures once. The second follows from the plans of two epochs. The third is known only where it was measured, so a
//! recommendation quotes [records](evidence).
//!
//! ```
//! use std::ops::ControlFlow;
//! use padwise_recommend::{Advice, Request, cost::DeviceProfile, search};
//!
//! let lengths: Vec<u32> = (0..2000).map(|i| 100 + (i * i) % 1400).collect();
//! let profile = DeviceProfile::built_in("cpu")?;
//! let request = Request::new(&lengths, &profile.cost, 16);
//! let found = search(&request, &mut |_, _| ControlFlow::Continue(()))?;
//! let advice = Advice::new(&found);
//! assert!(advice.summary.contains("faster than random"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate knows lengths, strategies and the numbers of a device. It does not know how these numbers were measured, and it
//! depends on no tensor library.

mod advice;
mod candidates;
mod corpus;
pub mod cost;
mod error;
pub mod evidence;
mod prediction;
mod search;

pub use advice::Advice;
pub use error::RecommendError;
pub use prediction::Prediction;
pub use search::{Progress, Request, Search, search};
