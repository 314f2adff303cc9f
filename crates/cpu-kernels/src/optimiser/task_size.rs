//! Task size of elementwise passes.

/// Elements per task: enough to outweigh the scheduling cost, few enough to balance the load.
pub const ELEMENTS_PER_TASK: usize = 16 * 1024;
