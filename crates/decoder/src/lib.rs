//! Turns the posteriors of an acoustic model into words: lexicon, ARPA language model, Viterbi beam search, word error rate.
//!
//! The decoder knows slices of numbers only. It can be used without the other crates of this workspace.

pub mod error;
pub mod language_model;
pub mod lexicon;
mod lines;
pub mod network;
pub mod search;
pub mod word_errors;

pub use error::DecoderError;
pub use language_model::{LanguageModel, LmState, ModelLimits, SkippedWords, Successor};
pub use lexicon::{Lexicon, Pronunciation};
pub use network::{Ctc, Hmm, Network, NetworkError};
pub use search::{Decoded, Decoder, SearchSettings, Workspace};
pub use word_errors::WordErrors;
