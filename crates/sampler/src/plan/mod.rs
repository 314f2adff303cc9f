//! The plan of one epoch: its batches, their padded lengths, and the ledger of all items.

mod cut;
mod epoch_plan;
mod item;
mod item_table;
mod ledger;
mod pair_recurrence;
mod sampler;
mod shard;
mod span;
mod stats;

pub(crate) use cut::draw_batches;
pub use epoch_plan::{Batch, Plan};
pub use item::Item;
pub use ledger::{DropReason, Dropped, Ledger};
pub use pair_recurrence::pair_recurrence;
pub use sampler::{Position, Sampler};
pub use shard::Shard;
pub(crate) use span::{Span, arrange};
pub use stats::Stats;
