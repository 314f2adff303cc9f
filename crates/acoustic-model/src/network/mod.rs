//! The model: bidirectional layers, one above the other, and a linear layer that scores every frame; forward and backward.

pub mod backpropagation;
pub mod blstm;
pub mod initial;
pub mod layer;
mod recurrence;
pub mod reference;
