//! Speech corpora: audio in, features out.

mod matrix;

pub use matrix::Matrix;
