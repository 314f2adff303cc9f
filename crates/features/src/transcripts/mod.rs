//! Target sequences from transcripts: characters, words or phones.
//!
//! CTC (Graves et al., 2006) learns from the order of symbols alone, so a corpus needs no alignment. Three steps lead from
//! a transcript to a target:
//!
//! 1. [`TextRules`] normalise the text: Unicode, case, punctuation.
//! 2. The unit splits it into characters or words, or looks up the phones of each word in a [`Lexicon`].
//! 3. The symbols get numbers. By default these are all symbols that occur, in alphabetical order.
//!
//! Repeated symbols are kept: `hello` has two `l`.

mod encode;
mod error;
mod text_rules;

pub use encode::{Encoded, TargetRules};
pub use error::TargetError;
pub use padwise_decoder::Lexicon;
pub use text_rules::{Punctuation, TextCase, TextRules};
