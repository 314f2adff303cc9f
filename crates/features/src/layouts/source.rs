//! An utterance stored as an audio file.

use std::path::PathBuf;

use super::segment::Segment;

/// An utterance stored as an audio file or a part of one, with its metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Unique id.
    pub id: String,
    /// Audio file. In a [`Manifest`](super::Manifest) of features, an array file.
    pub audio: PathBuf,
    /// The part of the audio file to use; the whole file if `None`.
    pub segment: Option<Segment>,
    /// Label file of this utterance, if it has its own.
    pub labels: Option<PathBuf>,
    /// Speaker, if known.
    pub speaker: Option<String>,
    /// Transcript, if known.
    pub text: Option<String>,
}
