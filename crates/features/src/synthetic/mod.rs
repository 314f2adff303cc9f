//! A synthetic corpus, for use without data.
//!
//! Utterances are generated on demand in any order, from the config and their number alone. There are no files, and the
//! bytes are the same on every machine. Lengths follow a real corpus. The features are not speech, but they have the
//! same difficulties. A single frame is ambiguous; a few hundred milliseconds of context resolve most of that, and the
//! whole utterance a little more. Length correlates with the speaker and the content, so batches of similar lengths are
//! biased. `docs/synthetic-corpus.md` in the repository describes the model and has measurements.

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
