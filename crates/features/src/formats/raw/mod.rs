//! Features as plain arrays: a folder, or the same folder in a `.tar.xz`.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `featN.f16le` | f16, little-endian, frames by N dimensions, all utterances one after the other |
//! | `labels.u8` | one class a frame |
//! | `phones.txt` | the names of the classes, a line each |
//! | `index.csv` | `id,start_frame,n_frames` |
//! | `text.tsv` | id, tab, transcript |
//!
//! This is a form to bring features in by, not to train from: all of it is held in memory.
//! [`pack_corpus`](crate::prepare::pack_corpus) makes a pack of it.

mod corpus;
mod files;

pub use corpus::RawCorpus;
