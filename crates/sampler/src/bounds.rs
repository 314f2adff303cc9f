//! How large a corpus, a plan and its parameters may be.

/// The most frames of a sequence. One bit less than a u32 has, so that rounding up cannot overflow.
pub(crate) const MAX_LENGTH: u32 = i32::MAX as u32;

/// The most items of a plan.
pub(crate) const MAX_ITEMS: usize = i32::MAX as usize;

/// The most ranks that a plan is sharded over.
pub(crate) const MAX_WORLD: usize = 1 << 20;

/// The most cells of the table that finds optimal buckets, which has a cell for each bucket and distinct length: this
/// many are a gibibyte.
pub(crate) const MAX_CELLS: usize = 1 << 28;
