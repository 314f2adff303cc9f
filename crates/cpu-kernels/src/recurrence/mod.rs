//! The recurrence on the CPU, written out directly instead of as a chain of tensor operations.
//!
//! The two directions never meet within a layer, and neither do the utterances of a batch: every (direction × group of
//! rows) is a task of its own that runs through all its frames without waiting for anyone. Within a step the product
//! with the recurrent weights and the gates' arithmetic are one kernel: the product's accumulators are still in
//! registers when the activations are applied to them. The weights are rearranged once a call into panels that the
//! kernel reads front to back.
//!
//! Groups depend on the batch alone and every sum runs in one fixed order, so results are the same bit for bit on any
//! number of threads. Rows are grouped by length, longest first, so that a task's rows end at about the same time and a
//! step only ever touches its first few rows.
//!
//! The gates are those of Hochreiter and Schmidhuber, "Long Short-Term Memory" (1997), with the forget gate of Gers,
//! Schmidhuber and Cummins, "Learning to Forget" (2000); order and layout are PyTorch's.

mod backward;
mod forward;
mod microkernel;
mod panels;
mod rows;
mod shape;
#[cfg(test)]
mod tests;

pub use backward::{RecurrenceBackward, backward};
pub use forward::{RecurrenceForward, forward};
pub use shape::Shape;
