//! Feature packs: a whole corpus in one file, which training maps into memory and reads in any order.
//!
//! # File format
//!
//! All numbers are little-endian. Data is only appended until the pack is sealed.
//!
//! | part | content |
//! | --- | --- |
//! | preamble, 64 bytes | magic number, version, length and checksum of the header; once sealed, also the length of the file, the offset, length and checksum of the index, and a checksum of the preamble |
//! | header | JSON: [`Setup`], and the number and digest of the announced utterances |
//! | records | one per utterance, aligned to 64 bytes: a 64-byte head with the checksum of the payload, the features (f16 or f32, frame by frame), the labels (u16), the target (u16) |
//! | index | JSON with the statistics and the utterances left out; one entry per utterance; ids, speakers and texts |
//!
//! Checksums are XXH3. Opening checks the sizes, the preamble, the header and the index, which is fast. [`Pack::verify`]
//! checks every byte.
//!
//! # Writing
//!
//! [`PackWriter`] writes to `NAME.partial` and renames the file at the end, so a file under its final name is complete.
//! Each record has its own checksum. After an interruption, the writer finds the last complete record and continues from
//! there. The result is byte-identical to that of an uninterrupted run. Utterances that were left out, or whose
//! fingerprint has changed, are written again.
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
//!     targets: None,
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
mod encode;
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
