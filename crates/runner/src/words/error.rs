//! Why words cannot be recognised.

use std::path::PathBuf;

use padwise_decoder::{DecoderError, NetworkError};
use padwise_features::pack::PackError;
use padwise_features::{CorpusError, FileError};
use padwise_sampler::excerpt::excerpt;
use thiserror::Error;

/// Why words cannot be recognised.
#[derive(Debug, Error)]
pub enum WordsError {
    /// The lexicon or the language model cannot be read.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    /// The lexicon does not fit the model.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The corpus cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Posteriors cannot be written or read.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// A text file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// An utterance has no transcript.
    #[error(
        "utterance {} has no transcript, so its word errors cannot be counted: prepare the corpus with transcripts",
        excerpt(.id)
    )]
    NoTranscript {
        /// The utterance.
        id: String,
    },
    /// The classes of the model are not phones or symbols.
    #[error("{0}")]
    Unsuitable(String),
}
