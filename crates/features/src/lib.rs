//! Speech corpora: audio in, features out.

pub mod audio;
mod matrix;

pub use matrix::Matrix;
