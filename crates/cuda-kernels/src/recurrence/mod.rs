//! The recurrence of one bidirectional LSTM layer as one launch a pass.
//!
//! After Diamos et al., "Persistent RNNs: Stashing Recurrent Weights On-Chip" (2016). Every multiprocessor keeps its share of
//! the weights in registers and shared memory, and only hidden states (backward: gate gradients) travel between them, through
//! the level-2 cache. Nothing waits at a barrier: each exchanged word carries the number of its step in bits that its format
//! leaves unused, and readers poll the data itself (`kernels/exchange.cuh`).

mod plan;

pub use plan::{Format, MOST_UTTERANCES, Pass, Plan, VARIANTS};
