//! Turns the posteriors of an acoustic model into words: lexicon, ARPA language model, Viterbi beam search, word error rate.
//!
//! The decoder knows slices of numbers only. It can be used without the other crates of this workspace.
//!
//! 1. A [`Lexicon`] lists the pronunciations of words, and a [`LanguageModel`] scores sequences of words.
//! 2. [`Hmm`] or [`Ctc`] builds a [`Network`] of all words: a prefix tree of pronunciations.
//! 3. A [`Decoder`] finds the best words for the acoustic scores of an utterance. One [`Workspace`] per thread is its memory.
//! 4. [`WordErrors`] compares them with the reference.
//!
//! The search follows Ney and Ortmanns (1999), "Dynamic programming search for continuous speech recognition".

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

/// The examples of the README, which run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
