//! An utterance as a file of audio.

use std::path::PathBuf;

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
