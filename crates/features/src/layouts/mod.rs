//! Corpora of audio files as their publishers lay them out, each read into one list of [`Source`]s.

mod chime4;
mod error;
mod folder;
mod librispeech;
mod ljspeech;
mod manifest;

use std::path::PathBuf;

use crate::pack::Utterance;

pub use chime4::{Chime4, chime4};
pub use error::LayoutError;
pub use librispeech::librispeech;
pub use ljspeech::ljspeech;
pub use manifest::manifest;

/// An utterance as a file of audio, and what is known about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Its id, which no other has.
    pub id: String,
    /// The file.
    pub audio: PathBuf,
    /// The file with its labels, where there is one for each utterance.
    pub labels: Option<PathBuf>,
    /// Who speaks, where it is known.
    pub speaker: Option<String>,
    /// What is said, where it is known.
    pub text: Option<String>,
}

/// What a pack announces of a source before anything of it is computed.
impl From<&Source> for Utterance {
    fn from(source: &Source) -> Self {
        Utterance {
            id: source.id.clone(),
            speaker: source.speaker.clone(),
            text: source.text.clone(),
            ..Utterance::default()
        }
    }
}
