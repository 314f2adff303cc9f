//! Word errors on the test set.
//!
//! | file | content |
//! | --- | --- |
//! | `words.csv` | the word errors of each trained run, one line per run ([`WordsRow`]) |
//! | `test-utterances.csv` | the test set: ids and numbers of words ([`TestUtterance`]) |
//! | `decoding.json` | the decoder's settings, the same for all runs ([`DecodingRecord`]) |

mod decoding;
mod read;

use serde::{Deserialize, Serialize};

use super::numbers;
pub use decoding::{DecodingRecord, TestSet, TunedScale, UsedFile};
pub use read::read_words;

/// The word errors of one run on the test set: a line of `words.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WordsRow {
    /// The name of the strategy in the config.
    pub strategy: String,
    /// The seed of the run.
    pub seed: u64,
    /// The epoch after which the test set was decoded: the last one of the run, or the best one with `train.patience`.
    pub epoch: u64,
    /// Utterances of the test set.
    pub utterances: u64,
    /// Words in their references.
    pub words: u64,
    /// Words recognised as another word.
    pub substitutions: u64,
    /// Missed words.
    pub deletions: u64,
    /// Recognised words that are not in the reference.
    pub insertions: u64,
    /// Decoding time, in seconds of one core.
    pub decode_seconds: f64,
    /// Core seconds of decoding per second of speech.
    pub real_time_factor: f64,
    /// Word errors of each utterance, in the order of `test-utterances.csv`; separated by spaces in the file.
    #[serde(with = "numbers")]
    pub errors: Vec<u32>,
}

impl WordsRow {
    /// Word error rate in percent. None if the references have no words.
    pub fn word_error_percent(&self) -> Option<f64> {
        let errors = self.substitutions + self.deletions + self.insertions;
        (self.words > 0).then(|| 100.0 * errors as f64 / self.words as f64)
    }
}

/// An utterance of the test set: a line of `test-utterances.csv`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestUtterance {
    /// Its id.
    pub utterance: String,
    /// Words in its reference.
    pub words: u32,
}

/// What is recorded of an experiment's words: the test set, the word errors of each run, and the decoder's settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordsRecord {
    /// The utterances of the test set.
    pub utterances: Vec<TestUtterance>,
    /// The errors of each run that was decoded.
    pub rows: Vec<WordsRow>,
    /// The decoder's settings; none if they were not recorded.
    pub decoding: Option<DecodingRecord>,
}

impl WordsRecord {
    /// The errors of one run.
    pub fn of_run(&self, strategy: &str, seed: u64) -> Option<&WordsRow> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.strategy == strategy && row.seed == seed)
    }
}
