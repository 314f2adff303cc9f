//! Kaldi archives and tables.
//!
//! An *archive* (`.ark`) is a sequence of keys and objects, as text or binary. A *script file* (`.scp`) lists keys and
//! positions in archives. Feature matrices are read in all formats that Kaldi's tools write: single and double precision,
//! and the three compressed ones. Integer vectors are alignments, with one label per frame.
//!
//! Commands instead of files (`gunzip -c ali.gz |`) are rejected, not run. Decompress such files first.

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
