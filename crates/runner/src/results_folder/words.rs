//! Word errors in a results folder: `words.csv`, `test-utterances.csv` and `decoding.json`.

use padwise_report::record::{
    DecodingRecord, EpochRow, ExperimentConfig, TestUtterance, WordsRecord, WordsRow, read_words,
    rows_as_csv,
};

use super::error::reading;
use super::{RecordError, ResultsFolder};

pub(super) const WORDS: &str = "words.csv";
pub(super) const UTTERANCES: &str = "test-utterances.csv";
pub(super) const DECODING: &str = "decoding.json";

impl ResultsFolder {
    /// The word errors recorded so far, checked against the config and the recorded epochs.
    pub fn words(
        &self,
        config: &ExperimentConfig,
        epochs: &[EpochRow],
    ) -> Result<WordsRecord, RecordError> {
        Ok(read_words(&self.path, config, epochs)?)
    }

    /// Appends the word errors of a run to `words.csv` and syncs them to disk. `test-utterances.csv` must have been written.
    pub fn append_words(&self, row: &WordsRow) -> Result<(), RecordError> {
        self.append_line(WORDS, row)
    }

    /// Writes the test set to `test-utterances.csv`, in the order of [`WordsRow::errors`].
    pub fn write_test_utterances(&self, utterances: &[TestUtterance]) -> Result<(), RecordError> {
        let path = self.path.join(UTTERANCES);
        let lines = rows_as_csv(utterances, true).map_err(RecordError::writing(&path))?;
        self.replace(UTTERANCES, &lines)
    }

    /// Writes the settings of the decoder to `decoding.json`.
    pub fn write_decoding(&self, decoding: &DecodingRecord) -> Result<(), RecordError> {
        let path = self.path.join(DECODING);
        let text = serde_json::to_vec_pretty(decoding).map_err(reading(&path))?;
        self.replace(DECODING, &text)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use padwise_report::record::Status;

    use super::*;

    const CONFIG: &str = r#"
        [corpus]
        pack = "a.pack"
        [train]
        seeds = [1, 2]
        [measure.words]
        lexicon = "lexicon.txt"
        language-model = "trigram.arpa"
        [[strategy]]
        name = "a, b"
        line = "random"
    "#;

    fn epoch(seed: u64) -> EpochRow {
        EpochRow {
            strategy: "a, b".into(),
            seed,
            epoch: 1,
            status: Status::Trained,
            ..EpochRow::default()
        }
    }

    fn words(seed: u64) -> WordsRow {
        WordsRow {
            strategy: "a, b".into(),
            seed,
            epoch: 1,
            utterances: 3,
            words: 9,
            substitutions: 2,
            deletions: 1,
            insertions: 1,
            decode_seconds: 0.1 + 0.2,
            real_time_factor: 0.5,
            errors: vec![0, 3, 1],
        }
    }

    fn config() -> ExperimentConfig {
        padwise_experiment_config::read_text(CONFIG, "a.toml".as_ref(), &[]).expect("a config")
    }

    #[test]
    fn word_errors_are_read_back_and_torn_lines_are_dropped() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().join("run");
        let (folder, epochs) = ResultsFolder::open(&path, CONFIG, false).expect("a new folder");
        assert_eq!(
            folder.words(&config(), &epochs).expect("none"),
            WordsRecord::default()
        );
        let utterances = [("u1", 3), ("u,2", 4), ("u3", 2)];
        let utterances = utterances.map(|(utterance, words)| TestUtterance {
            utterance: utterance.into(),
            words,
        });
        let decoding = DecodingRecord {
            lm_scale: 12.5,
            ..DecodingRecord::default()
        };
        folder.write_test_utterances(&utterances).expect("writable");
        folder.write_decoding(&decoding).expect("writable");
        folder.append_words(&words(1)).expect("writable");
        folder.append_words(&words(2)).expect("writable");
        drop(folder);
        let file = path.join(WORDS);
        let text = fs::read_to_string(&file).expect("readable");
        fs::write(&file, format!("{text}\"a, b\",3,1,3,9")).expect("writable");
        let (folder, _) = ResultsFolder::open(&path, CONFIG, true).expect("resumable");
        assert_eq!(fs::read_to_string(&file).expect("readable"), text);
        let found = folder.words(&config(), &[epoch(1), epoch(2)]);
        let expected = WordsRecord {
            utterances: utterances.to_vec(),
            rows: vec![words(1), words(2)],
            decoding: Some(decoding),
        };
        assert_eq!(found.expect("readable"), expected);
        insta::assert_snapshot!(text, @r#"
        strategy,seed,epoch,utterances,words,substitutions,deletions,insertions,decode_seconds,real_time_factor,errors
        "a, b",1,1,3,9,2,1,1,0.30000000000000004,0.5,0 3 1
        "a, b",2,1,3,9,2,1,1,0.30000000000000004,0.5,0 3 1
        "#);
    }

    #[test]
    fn word_errors_of_another_experiment_are_not_mixed_with_new_ones() {
        let temporary = tempfile::tempdir().expect("a folder");
        fs::write(temporary.path().join(WORDS), "").expect("writable");
        let error = ResultsFolder::open(temporary.path(), CONFIG, false).err();
        let message = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(
            message.contains("words.csv is not from a run in this folder"),
            "{message}"
        );
    }
}
