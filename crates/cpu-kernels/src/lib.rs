//! The CPU kernels of padwise's acoustic model, on plain slices.
//!
//! They are a crate of their own because they must be optimised even where the rest is not, in a developer's build, and because
//! nothing here needs to know what a tensor is. Each entry point is for f32, in which models are trained; what is behind it is generic,
//! and checked in f64 as well.
//!
//! Results do not depend on the number of threads: work is cut by shape alone, and every sum runs in one fixed order.

mod bias;
mod column_sums;
mod cross_entropy;
mod entry_points;
mod optimiser;
mod recurrence;
mod simd;

pub use entry_points::{
    add_to_rows, clip_global_norm, column_sums, cross_entropy_backward, cross_entropy_forward,
    recurrence_backward, recurrence_forward, update,
};
pub use optimiser::{AdadeltaStep, AdamStep, CLIP_EPSILON, UpdateRule};
pub use recurrence::{RecurrenceBackward, RecurrenceForward, Shape};
