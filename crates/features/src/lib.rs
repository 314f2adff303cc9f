//! Speech corpora: audio in, features out.

pub mod audio;
pub mod front_end;
pub mod corpus;
pub mod kaldi;
pub mod labels;
pub mod layouts;
mod matrix;
pub mod npy;
pub mod pack;
pub mod raw;

pub use corpus::{Corpus, CorpusError};
pub use matrix::Matrix;
