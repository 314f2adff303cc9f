//! Corpora of NumPy's `.npy` files: one array an utterance, frames by dimensions.
//!
//! The format is read here rather than by a library: a header of a few dozen bytes whose sizes must not be trusted,
//! and then plain numbers, which a training loop wants a slice of and not the whole.

mod array;
mod corpus;
mod header;

pub use array::{NpyArray, read_labels};
pub use corpus::{NpyCorpus, NpyUtterance};
