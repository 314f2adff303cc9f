//! Two records of the same experiment: two machines, two backends, two commits. What changed, by how much, and whether that
//! is worse.
//!
//! Strategies are matched by name. Losses of the same seed begin with the same parameters and are compared pair by pair; the
//! speeds and the memory of two machines are independent. A measure is *worse* when it changed for the worse by more than the
//! tolerance and seeds can tell the two apart, or there are too few to ask; it is *unclear* when they cannot.

mod comparison;
mod differences;
mod render;

pub use comparison::{Compared, Comparison, Verdict};
pub use differences::Difference;
pub use render::render;
