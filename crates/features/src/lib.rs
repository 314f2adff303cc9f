//! Speech corpora: audio in, features out.

mod matrix;
mod synthetic;

pub use matrix::Matrix;
pub use synthetic::{PhoneSpan, Synthetic, SyntheticConfig, SyntheticError};
