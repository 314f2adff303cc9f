//! Normalisation to mean 0 and variance 1, per utterance, per speaker or over the training set.
//!
//! Statistics come from the training set only. [`Statistics`] holds them and can be saved with a model. [`Normalised`] is
//! a corpus that normalises frames when they are read.

mod corpus;
mod moments;
mod statistics;

pub use corpus::Normalised;
pub use moments::{Moments, MomentsError, VARIANCE_FLOOR};
pub use statistics::{Normalisation, Statistics};
