//! How an elementwise pass is cut into tasks.

/// Elements that one task works on: enough to be worth handing out, few enough to share evenly.
pub const ELEMENTS_PER_TASK: usize = 16 * 1024;
