//! Errors of opening a corpus.

use std::path::PathBuf;

use padwise_features::labels::LabelError;
use padwise_features::layouts::RowFilterError;
use padwise_features::{CorpusError, FileError};
use thiserror::Error;

/// Why a corpus cannot be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CorporaError {
    /// The file or folder does not exist or cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The file or folder has no known corpus layout.
    #[error(
        "unrecognised corpus layout: {}; expected a LibriSpeech, LJSpeech, CHiME-4 or Kaldi (feats.scp) folder, a folder of WAV, FLAC or .npy files, a manifest (.csv, .jsonl), raw features (.tar.xz), a .pack or a config (.toml); pass --layout if it is one of these", .path.display()
    )]
    Unknown {
        /// The file or folder.
        path: PathBuf,
    },
    /// The config does not describe a corpus.
    #[error("{}: {problem}", .path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        problem: String,
    },
    /// A folder or a manifest is wrong.
    #[error(transparent)]
    Files(#[from] FileError),
    /// The labels are wrong.
    #[error(transparent)]
    Labels(#[from] LabelError),
    /// The features are wrong.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// An error of a file format or a generator.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// The corpus does not fit the config or the options.
    #[error("{0}")]
    Unsuitable(String),
    /// A condition on rows has the wrong form.
    #[error(transparent)]
    Where(#[from] RowFilterError),
    /// An option does not apply to this corpus.
    #[error("{option} does not apply: {reason}")]
    DoesNotApply {
        /// The option.
        option: &'static str,
        /// Why it does not.
        reason: &'static str,
    },
    /// Labels have times in seconds, but the frame shift is unknown.
    #[error(
        "labels are in seconds, but the frame shift is unknown: pass it in milliseconds, for example --hop 10"
    )]
    Hop,
    /// No set of CHiME-4 was chosen.
    #[error(
        "CHiME-4 has several sets: pass one with --set, for example --set tr05_real (others: tr05_simu, dt05_real, dt05_simu, et05_real, et05_simu)"
    )]
    NoSet,
}

impl CorporaError {
    pub(crate) fn other(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        CorporaError::Other(Box::new(error))
    }
}
