//! CPU kernels for training a bidirectional LSTM, on plain slices.
//!
//! The crate has matrix products, the LSTM recurrence, cross-entropy, bias sums, gradient clipping and optimiser steps. It
//! knows nothing about tensors. It is separate from the model so that these kernels can be optimised in
//! development builds too. The public functions take f32; the generic code behind them is also tested in f64.
//!
//! Results do not depend on the number of threads: work is split by shape alone, and every sum has a fixed
//! order.

mod bias;
mod column_sums;
mod cross_entropy;
mod entry_points;
mod optimiser;
mod product;
mod recurrence;
mod simd;

pub use entry_points::{
    add_to_rows, clip_global_norm, column_sums, cross_entropy_backward, cross_entropy_forward,
    recurrence_backward, recurrence_forward, update,
};
pub use optimiser::{AdadeltaStep, AdamStep, CLIP_EPSILON, UpdateRule};
pub use product::{Matrix, multiply};
pub use recurrence::{RecurrenceBackward, RecurrenceForward, RowLayout};

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
