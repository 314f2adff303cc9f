//! Corpora of features in files, a folder for each format. A new format goes here.
//!
//! A format reads its files into a type that is a [`Corpus`](crate::corpus::Corpus): lengths when it is opened, frames
//! when they are asked for. What is wrong with a file is said as a [`FileError`](crate::files::FileError).
//!
//! | format | what it is |
//! | --- | --- |
//! | [`pack`] | our own file, which training reads and [`prepare`](crate::prepare) writes |
//! | [`kaldi`] | Kaldi's archives, script files and alignments |
//! | [`npy`] | NumPy's arrays, one an utterance |
//! | [`raw`] | plain arrays of a whole corpus |
//!
//! The command line recognises formats and layouts in its `corpora/kind.rs` and opens them in `corpora/open.rs`.

pub mod kaldi;
mod label_files;
pub mod npy;
mod numbers;
pub mod pack;
#[cfg(feature = "raw")]
pub mod raw;
