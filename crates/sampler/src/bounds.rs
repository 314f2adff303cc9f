//! Limits on the size of a corpus, a plan and its parameters.

/// The maximum number of frames of a sequence. One bit below the range of a u32, so rounding up cannot overflow.
pub(crate) const MAX_LENGTH: u32 = i32::MAX as u32;

/// The maximum number of items of a plan.
pub(crate) const MAX_ITEMS: usize = i32::MAX as usize;

/// The maximum number of ranks.
pub(crate) const MAX_WORLD: usize = 1 << 20;

/// The maximum size of the table for optimal buckets, which has a cell per bucket and distinct length. The table then
/// takes 1 GiB.
pub(crate) const MAX_CELLS: usize = 1 << 28;
