//! Corpora of audio files as their publishers lay them out, each read into one list of [`Source`]s.

mod chime4;
mod gathering;
mod librispeech;
mod ljspeech;
mod manifest;
mod source;

pub use chime4::{Chime4, chime4};
pub use librispeech::librispeech;
pub use ljspeech::ljspeech;
pub use manifest::manifest;
pub use source::Source;
