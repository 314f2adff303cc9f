//! Corpora of plain arrays, in a folder or a `.tar.xz`.
//!
//! | file | content |
//! | --- | --- |
//! | `featN.f16le` | f16, little-endian, frames × N dimensions, all utterances concatenated |
//! | `labels.u8` | one class per frame |
//! | `phones.txt` | class names, one per line |
//! | `index.csv` | `id,start_frame,n_frames` |
//! | `text.tsv` | id, tab, transcript (optional) |
//!
//! This format is for import, not for training, because it is loaded into memory. Convert it with
//! [`pack_corpus`](crate::prepare::pack_corpus).

mod archive;
mod corpus;
mod files;
mod xz;

pub use corpus::RawCorpus;
