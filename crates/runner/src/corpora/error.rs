//! Why a corpus cannot be opened.

use std::path::PathBuf;

use padwise_features::labels::LabelError;
use padwise_features::{CorpusError, FileError};
use thiserror::Error;

/// A corpus that cannot be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CorporaError {
    /// Nothing there, or nothing readable.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something that is no corpus.
    #[error(
        "{} is no corpus that is known here: a folder as LibriSpeech, LJSpeech, CHiME-4 or Kaldi (feats.scp) lay them out, a folder of .npy files, a manifest (.csv, .jsonl), raw features (.tar.xz), a .pack or a config (.toml); name it with --layout if it is one", .path.display()
    )]
    Unknown {
        /// The file or folder.
        path: PathBuf,
    },
    /// A config that does not describe a corpus.
    #[error("{}: {problem}", .path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        problem: String,
    },
    /// A folder or a manifest is at fault.
    #[error(transparent)]
    Files(#[from] FileError),
    /// Labels are at fault.
    #[error(transparent)]
    Labels(#[from] LabelError),
    /// Features are at fault.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Anything else that a corpus is opened with.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// A corpus that cannot be divided or joined as asked.
    #[error("{0}")]
    Split(String),
    /// An option that means nothing for this corpus.
    #[error("{option} does not apply: {reason}")]
    DoesNotApply {
        /// The option.
        option: &'static str,
        /// Why it does not.
        reason: &'static str,
    },
    /// Times without a hop.
    #[error(
        "labels in seconds need the hop of these features: give it in milliseconds, for instance --hop 10"
    )]
    Hop,
    /// A set of CHiME-4 must be named.
    #[error(
        "CHiME-4 has several sets: name one with --set, for instance --set tr05_real (tr05_simu, dt05_real, dt05_simu, et05_real, et05_simu)"
    )]
    NoSet,
}

impl CorporaError {
    pub(crate) fn other(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        CorporaError::Other(Box::new(error))
    }
}
