//! The LSTM recurrence on the CPU, implemented directly on slices instead of as a chain of tensor operations.
//!
//! The two directions of a layer are independent, and so are the utterances of a batch. Each task therefore
//! takes one direction of a group of rows through all frames without synchronisation. Within a step, one
//! kernel multiplies by the recurrent weights and does the gate arithmetic: activations are applied while the
//! sums are in registers or the nearest cache. The weights are packed once per call into panels that the
//! kernel reads sequentially.
//!
//! Groups depend on the batch alone and every sum has a fixed order, so results are identical to the bit on
//! any number of threads. Rows are grouped by length, longest first, so the rows of a task end at about the
//! same time.
//!
//! The gates are those of Hochreiter and Schmidhuber, "Long Short-Term Memory" (1997), with the forget gate
//! of Gers, Schmidhuber and Cummins, "Learning to Forget" (2000). Gate order and layout are PyTorch's.

mod backward;
mod forward;
mod layout;
mod microkernel;
mod panels;
mod rows;
#[cfg(test)]
mod tests;

pub use backward::{RecurrenceBackward, backward};
pub use forward::{RecurrenceForward, forward};
pub use layout::RowLayout;
