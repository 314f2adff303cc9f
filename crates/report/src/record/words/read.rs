//! Reads the word errors of a results folder, and checks that its files agree.

use std::collections::HashSet;
use std::path::Path;

use padwise_sampler::excerpt::excerpt;

use super::super::check_values::{MAX_COUNT, MAX_SECONDS, at_most, within};
use super::super::file::optional;
use super::super::read::without_place;
use super::super::sequence::REMEDY;
use super::super::table::{line_of, read_table};
use super::super::{EpochRow, ExperimentConfig, ReadError, RunProgress, rows_of};
use super::{DecodingRecord, TestUtterance, WordsRecord, WordsRow};

/// More than the settings and thousands of tuned scales need.
const MAX_DECODING_BYTES: u64 = 16 << 20;
/// More words or errors than any utterance has. Sums over a table of at most 1 GiB stay exact.
const MAX_PER_UTTERANCE: u32 = 1_000_000;

/// Reads `words.csv`, `test-utterances.csv` and `decoding.json`, which are all optional, and checks that they agree with each
/// other, with the config and with the recorded epochs.
pub fn read_words(
    folder: &Path,
    config: &ExperimentConfig,
    epochs: &[EpochRow],
) -> Result<WordsRecord, ReadError> {
    let utterances = read_utterances(&folder.join("test-utterances.csv"))?;
    let path = folder.join("words.csv");
    let rows = read_table(&path, &[], |row: &WordsRow| row.check_values(&utterances))?;
    check_runs(&path, &rows, config, epochs)?;
    Ok(WordsRecord {
        utterances,
        rows,
        decoding: read_decoding(&folder.join("decoding.json"))?,
    })
}

fn read_utterances(path: &Path) -> Result<Vec<TestUtterance>, ReadError> {
    let utterances = read_table(path, &[], |utterance: &TestUtterance| {
        let words = u64::from(utterance.words);
        at_most("words", words, "", MAX_PER_UTTERANCE.into())
    })?;
    let mut seen = HashSet::new();
    let duplicate = utterances
        .iter()
        .position(|one| !seen.insert(one.utterance.as_str()));
    match duplicate {
        None => Ok(utterances),
        Some(index) => {
            let name = excerpt(&utterances[index].utterance);
            let problem = format!("duplicate utterance `{name}`");
            Err(refused(path, index, &problem))
        }
    }
}

impl WordsRow {
    /// Checks every value against the test set; the message names the column, the value and what is valid.
    fn check_values(&self, utterances: &[TestUtterance]) -> Result<(), String> {
        for (name, count) in [
            ("substitutions", self.substitutions),
            ("deletions", self.deletions),
            ("insertions", self.insertions),
        ] {
            at_most(name, count, "", MAX_COUNT)?;
        }
        let words: u64 = utterances.iter().map(|one| u64::from(one.words)).sum();
        let listed = utterances.len() as u64;
        same(
            "utterances",
            self.utterances,
            listed,
            "test-utterances.csv has",
        )?;
        same("words", self.words, words, "test-utterances.csv has")?;
        let numbers = self.errors.len() as u64;
        same(
            "number of errors",
            numbers,
            listed,
            "test-utterances.csv has",
        )?;
        for &errors in &self.errors {
            at_most("errors", errors.into(), "", MAX_PER_UTTERANCE.into())?;
        }
        let errors: u64 = self.errors.iter().map(|&errors| u64::from(errors)).sum();
        let total = self.substitutions + self.deletions + self.insertions;
        same(
            "sum of errors",
            errors,
            total,
            "substitutions, deletions and insertions are",
        )?;
        let wrong = self.substitutions + self.deletions;
        at_most(
            "substitutions and deletions",
            wrong,
            ", the number of words",
            words,
        )?;
        let (seconds, factor) = (self.decode_seconds, self.real_time_factor);
        within("decode_seconds", Some(seconds), 0.0, MAX_SECONDS)?;
        within("real_time_factor", Some(factor), 0.0, MAX_SECONDS)
    }
}

/// Checks that a number is the one found elsewhere.
fn same(name: &str, found: u64, expected: u64, where_found: &str) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "invalid {name} `{found}`: {where_found} {expected}"
    ))
}

/// Checks that every row is of another run, and that the run has ended with its epoch.
fn check_runs(
    path: &Path,
    rows: &[WordsRow],
    config: &ExperimentConfig,
    epochs: &[EpochRow],
) -> Result<(), ReadError> {
    let mut seen = HashSet::new();
    for (index, row) in rows.iter().enumerate() {
        let WordsRow {
            strategy,
            seed,
            epoch,
            ..
        } = row;
        let own = rows_of(epochs, strategy, *seed);
        let recorded = RunProgress::of(own, config.train.epochs).result_epoch(config);
        let problem = if !config.strategy.iter().any(|known| known.name == *strategy) {
            "config.toml has no such strategy".to_owned()
        } else if !config.train.seeds.contains(seed) {
            "config.toml has no such seed".to_owned()
        } else if !seen.insert((strategy, seed)) {
            "expected one row per run".to_owned()
        } else if recorded != *epoch {
            let which = config.train.patience.map_or("last", |_| "best");
            format!(
                "it was decoded after epoch {epoch}, but its {which} epoch in epochs.csv is {recorded}"
            )
        } else {
            continue;
        };
        let strategy = excerpt(strategy);
        let problem = format!("strategy `{strategy}`, seed {seed}: {problem}");
        return Err(refused(path, index, &problem));
    }
    Ok(())
}

fn refused(path: &Path, index: usize, problem: &str) -> ReadError {
    ReadError::Line {
        path: path.into(),
        line: line_of(path, index),
        problem: format!("{problem}; {REMEDY}"),
    }
}

fn read_decoding(path: &Path) -> Result<Option<DecodingRecord>, ReadError> {
    let Some(bytes) = optional(path, MAX_DECODING_BYTES)? else {
        return Ok(None);
    };
    let decoding: DecodingRecord =
        serde_json::from_slice(&bytes).map_err(|error| ReadError::Line {
            path: path.into(),
            line: error.line() as u64,
            problem: without_place(&error),
        })?;
    let checked = decoding.check_values();
    checked.map_err(|problem| ReadError::File {
        path: path.into(),
        problem: format!("{problem}; {REMEDY}"),
    })?;
    Ok(Some(decoding))
}
