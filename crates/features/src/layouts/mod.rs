//! Layouts of audio corpora. Each is read into a list of [`Source`]s. Add new layouts here.
//!
//! The command line recognises formats and layouts in its `corpora/kind.rs` and opens them in `corpora/open.rs`.

mod chime4;
mod folder;
mod gathering;
mod librispeech;
mod ljspeech;
mod manifest;
mod row_filter;
mod segment;
mod source;
mod walk;

pub use chime4::{Chime4, chime4};
pub use folder::{contains_audio, folder};
pub use gathering::MissingFiles;
pub use librispeech::librispeech;
pub use ljspeech::ljspeech;
pub use manifest::{Manifest, json_object, json_text, manifest};
pub use row_filter::{RowFilter, RowFilterError, RowSelection, find_column};
pub use segment::Segment;
pub use source::Source;
