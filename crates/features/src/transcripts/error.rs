//! Errors of making targets from transcripts.

use thiserror::Error;

/// A transcript that has no target, or rules that do not fit the corpus.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TargetError {
    /// The utterance has no transcript.
    #[error("no transcript")]
    NoTranscript,
    /// Nothing is left of the transcript after normalisation.
    #[error("empty transcript after normalisation (it was \"{text}\")")]
    Empty {
        /// The transcript.
        text: String,
    },
    /// Words that the lexicon or the list of symbols does not have.
    #[error("{} not in the {list}: {}", if .words.len() == 1 { "word" } else { "words" }, .words.join(", "))]
    UnknownWords {
        /// The words.
        words: Vec<String>,
        /// Where they are missing: `lexicon` or `list of symbols`.
        list: &'static str,
    },
    /// The rules do not fit the corpus.
    #[error("{0}")]
    Rules(String),
}
