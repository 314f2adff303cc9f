//! An utterance stored as an audio file.

use std::path::PathBuf;

/// An utterance stored as an audio file, with its metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Unique id.
    pub id: String,
    /// Audio file.
    pub audio: PathBuf,
    /// Label file of this utterance, if it has its own.
    pub labels: Option<PathBuf>,
    /// Speaker, if known.
    pub speaker: Option<String>,
    /// Transcript, if known.
    pub text: Option<String>,
}
