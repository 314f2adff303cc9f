//! File formats of feature corpora, one folder per format. Add new formats here.
//!
//! Each format has a type that implements [`Corpus`](crate::corpus::Corpus): lengths are read when it is opened, frames
//! on demand. Errors are [`FileError`](crate::files::FileError)s.
//!
//! | format | description |
//! | --- | --- |
//! | [`pack`] | padwise's own format, which training reads and [`prepare`](crate::prepare) writes |
//! | [`kaldi`] | Kaldi archives, script files and alignments |
//! | [`npy`] | NumPy arrays, one per utterance |
//! | `raw` | plain arrays of a whole corpus (feature `raw`) |
//!
//! The command line recognises formats and layouts in its `corpora/kind.rs` and opens them in `corpora/open.rs`.

pub mod kaldi;
mod label_files;
pub mod npy;
mod numbers;
pub mod pack;
#[cfg(feature = "raw")]
pub mod raw;
