//! States of phones: finer frame labels, derived from the phone labels of a corpus.
//!
//! A [`StateInventory`] says which class each third of a phone has, given its left and right neighbours.
//! [`StateLabelled`] is a corpus with these labels. There are three kinds of states ([`StateKind`]): phones, thirds of
//! phones, and thirds in context. Decision trees tie contexts that sound alike (Young, Odell and Woodland, "Tree-based
//! state tying for high accuracy acoustic modelling", 1994).
//!
//! A phone segment is a run of equal labels. Two equal phones without another label between them are one segment.

mod context_sums;
mod corpus;
mod error;
mod grow;
mod inventory;
mod json;
mod kind;
mod learn;
mod questions;
mod segments;
mod silence;
mod sums;
mod tree;

pub use corpus::StateLabelled;
pub use error::StateError;
pub use grow::MIN_FRAMES;
pub use inventory::StateInventory;
pub use kind::{MOST_STATES, StateKind};
pub use silence::is_silence;

/// Parts of a phone.
pub const PARTS: usize = 3;
