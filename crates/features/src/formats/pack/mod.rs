//! A packed corpus: one file that training maps into memory and reads in any order.
//!
//! # The file
//!
//! Everything is little-endian. The file only ever grows, until the moment it is sealed:
//!
//! | part | what it holds |
//! | --- | --- |
//! | preamble, 64 bytes | magic, version, length and checksum of the header; once sealed also the length of the file, the place, length and checksum of the index, and a checksum of the preamble itself |
//! | header | JSON: [`Setup`], and the number and digest of the utterances that were to be packed |
//! | records | one an utterance, each on a 64-byte boundary: a 64-byte head with the checksum of what follows, the features (f16 or f32, frame by frame), the labels (u16) |
//! | index | JSON with the statistics and what was left out; an entry an utterance; ids, speakers and texts |
//!
//! Checksums are xxh3. Opening checks the sizes, the preamble, the header and the index, which takes no time;
//! [`Pack::verify`] checks every byte.
//!
//! # Writing
//!
//! [`PackWriter`] writes to `NAME.partial` and renames that at the end, so a file under its own name is whole. Every
//! record can be checked alone, so a writer that was killed finds the last whole one and goes on from there, and the
//! bytes come out as if nothing had happened: nothing in the file says when or in how many goes it was written.
//! An utterance whose source changed in between is done again, as its fingerprint tells, and so is one that was left out.
//!
//! ```
//! use padwise_features::pack::{Dtype, Pack, PackWriter, Setup, Utterance};
//! use padwise_features::{Corpus, Matrix};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("tiny.pack");
//! let setup = Setup {
//!     dims: 2,
//!     dtype: Dtype::F16,
//!     class_names: Some(vec!["silence".into(), "speech".into()]),
//!     front_end: serde_json::json!({ "kind": "mfcc" }),
//! };
//! let utterance = Utterance { id: "utt-1".into(), ..Utterance::default() };
//! let mut writer = PackWriter::create(&path, setup, vec![utterance])?;
//! while let Some(_next) = writer.next_utterance() {
//!     writer.append(&Matrix::from_rows(2, vec![1.0, 2.0, 3.0, 4.0]), &[0, 1])?;
//! }
//! let pack: Pack = writer.finish()?;
//!
//! assert_eq!(pack.lengths(), [2]);
//! let (mut features, mut labels) = ([0.0; 2], [0; 1]);
//! pack.read_into(0, 1, &mut features, &mut labels)?; // frame 1 of utterance 0
//! assert_eq!((features, labels), ([3.0, 4.0], [1]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod error;
mod index;
mod layout;
mod reader;
mod record;
mod resume;
mod setup;
mod verify;
mod writer;

pub use error::PackError;
pub use index::LeftOut;
pub use reader::Pack;
pub use setup::{Setup, Utterance};
pub use writer::PackWriter;

pub use super::numbers::Dtype;
