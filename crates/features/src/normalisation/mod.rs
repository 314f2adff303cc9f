//! Mean 0 and variance 1: over an utterance, a speaker, or the whole training set.
//!
//! What is learnt from the data is learnt from the training set alone. [`Statistics`] hold it, and can be kept in a file
//! beside a model; [`Normalised`] is a corpus whose frames come out normalised.

mod corpus;
mod moments;
mod statistics;

pub use corpus::Normalised;
pub use moments::{Moments, MomentsError, VARIANCE_FLOOR};
pub use statistics::{Normalisation, Statistics};
