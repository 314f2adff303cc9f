//! Kaldi's archives and tables.
//!
//! An *archive* (`.ark`) is a sequence of keys and objects, in text or binary; a *script file* (`.scp`) is a list of
//! keys and places in archives. Matrices of features are read in all forms that Kaldi's own tools write: single and
//! double precision and its three compressed ones. Vectors of whole numbers are alignments, one label a frame.
//!
//! Commands in place of files (`gunzip -c ali.gz |`) are refused, not run: unpack such files first.

mod archive;
mod corpus;
mod matrix;
mod matrix_form;
mod tables;
mod text;
mod vectors;
mod write;

pub use corpus::{KaldiCorpus, KaldiFiles};
pub use matrix::read_matrices;
pub use tables::{Place, read_scp, read_table};
pub use vectors::read_int_vectors;
pub use write::{ArkWriter, MatrixForm};
