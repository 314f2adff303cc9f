//! A made-up corpus for those who have no data at hand.
//!
//! Any utterance is made on demand, in any order, from nothing but the config and its number: no file, no memory, the
//! same bytes on every machine. Lengths are those of a real corpus. The features are not speech, but they are hard in
//! the ways in which speech is: a frame alone is ambiguous, a few hundred milliseconds around it tell most of what
//! there is to tell, the whole utterance tells a little more; and an utterance's length goes with who speaks and with
//! what is said, which is why batches of like lengths are biased. `docs/synthetic-corpus.md` describes the model and
//! has figures for each of these.

mod config;
mod corpus;
mod draw;
mod error;
mod facts;
mod generator;
mod grammar;
mod phones;
mod render;
mod script;
mod sounds;
mod tying;

pub use config::SyntheticConfig;
pub use corpus::SyntheticCorpus;
pub use error::SyntheticError;
pub use generator::{PhoneSpan, Synthetic};
