//! The settings of a strategy as plain data.

mod batch_order;
mod batching;
mod items;
mod order;

pub use batch_order::BatchOrder;
pub use batching::{Batching, LastBatch, Padding};
pub use items::{Chunks, Items};
pub use order::{Buckets, Order};
