//! The reference words of utterances.

use std::collections::HashMap;
use std::path::Path;

use padwise_features::corpus::TargetUnit;
use padwise_features::transcripts::TextRules;
use padwise_features::{Corpus, CorpusError, FileError};
use padwise_sampler::excerpt::excerpt;

use super::WordsError;

/// The normalised words of every utterance, in the order of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct References {
    /// The words of each utterance.
    pub words: Vec<Vec<String>>,
}

impl References {
    /// The transcripts of a corpus, or its targets if it has none. Every utterance must have one.
    pub fn of(corpus: &dyn Corpus) -> Result<Self, WordsError> {
        let rules = TextRules::default();
        let words = (0..corpus.len()).map(|utterance| {
            let text = match corpus.text(utterance) {
                Some(text) => text.to_owned(),
                None => {
                    target_text(corpus, utterance)?.ok_or_else(|| WordsError::NoTranscript {
                        id: corpus.id(utterance).into(),
                    })?
                }
            };
            let text = rules.normalise(&text);
            Ok(text.split_whitespace().map(String::from).collect())
        });
        Ok(References {
            words: words.collect::<Result<_, WordsError>>()?,
        })
    }

    /// The transcripts of a file by id. Every utterance of the corpus must have one; others are ignored.
    pub fn given(
        corpus: &dyn Corpus,
        path: &Path,
        transcripts: &HashMap<String, String>,
    ) -> Result<Self, FileError> {
        let rules = TextRules::default();
        let words = (0..corpus.len()).map(|utterance| {
            let id = corpus.id(utterance);
            let text = transcripts.get(id).ok_or_else(|| FileError::Content {
                path: path.into(),
                reason: format!(
                    "no line of utterance {}: add its id and its words",
                    excerpt(id)
                ),
            })?;
            let text = rules.normalise(text);
            Ok(text.split_whitespace().map(String::from).collect())
        });
        Ok(References {
            words: words.collect::<Result<_, FileError>>()?,
        })
    }

    /// Number of words.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|words| words.len() as u64).sum()
    }
}

/// The text of a target of characters or words.
fn target_text(corpus: &dyn Corpus, utterance: usize) -> Result<Option<String>, CorpusError> {
    let set = corpus.target_set();
    let Some(set) = set.filter(|set| set.unit != TargetUnit::Phones) else {
        return Ok(None);
    };
    Ok(Some(set.text(&corpus.targets(utterance)?)))
}
