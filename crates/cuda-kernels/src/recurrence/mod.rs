//! The recurrence of one bidirectional LSTM layer as a single kernel launch per pass.
//!
//! After Diamos et al., "Persistent RNNs: Stashing Recurrent Weights On-Chip" (2016). Every multiprocessor
//! keeps its share of the weights in registers and shared memory. Only hidden states (backward: gate
//! gradients) are exchanged, through the L2 cache. There is no barrier: each exchanged word carries its step
//! number in unused bits, and readers poll the data itself (`kernels/exchange.cuh`).

mod format;
mod plan;
mod registers;

pub use format::Format;
pub use plan::{
    Batches, Gates, MOST_UTTERANCES, PASSES_FIXED_UP_TO, Pass, Plan, Results, SIZE_STEP, SMALLEST,
    Storage, VARIANTS,
};
