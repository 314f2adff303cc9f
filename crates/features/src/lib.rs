//! Speech corpora: audio in, features out.

pub mod audio;
pub mod audio_corpus;
pub mod corpus;
pub mod front_end;
pub mod kaldi;
pub mod labels;
pub mod layouts;
mod matrix;
pub mod normalisation;
pub mod npy;
pub mod pack;
pub mod raw;
mod synthetic;

pub use corpus::{Corpus, CorpusError};
pub use matrix::Matrix;
pub use synthetic::{PhoneSpan, Synthetic, SyntheticConfig, SyntheticError};
