//! Speech corpora: audio in, features out.

pub mod audio;
pub mod front_end;
mod matrix;

pub use matrix::Matrix;
