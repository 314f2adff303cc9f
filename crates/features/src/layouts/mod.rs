//! Layouts of published audio corpora. Each is read into a list of [`Source`]s. Add new layouts here.
//!
//! The command line recognises formats and layouts in its `corpora/kind.rs` and opens them in `corpora/open.rs`.

mod chime4;
mod gathering;
mod librispeech;
mod ljspeech;
mod manifest;
mod source;

pub use chime4::{Chime4, chime4};
pub use gathering::MissingFiles;
pub use librispeech::librispeech;
pub use ljspeech::ljspeech;
pub use manifest::manifest;
pub use source::Source;
