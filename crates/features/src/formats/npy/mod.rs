//! Corpora of NumPy `.npy` files: one array per utterance, frames × dimensions.
//!
//! The format is parsed here instead of by a library. Its sizes must not be trusted, and a training loop reads a slice of
//! an array, not all of it.

mod array;
mod corpus;
mod header;

pub use array::{NpyArray, read_labels};
pub use corpus::{NpyCorpus, NpyUtterance};
