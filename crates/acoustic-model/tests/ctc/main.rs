//! The CTC loss.

mod batch;
mod definition;
mod padding;
mod pytorch;
mod refusals;
