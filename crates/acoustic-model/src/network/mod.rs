//! The model, forward and backward: a stack of bidirectional layers, and a linear layer that scores every
//! frame.

pub mod backpropagation;
pub mod blstm;
pub mod gradients;
pub mod initial;
pub mod layer;
mod recurrence;
pub mod reference;
