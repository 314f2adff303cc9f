//! Reads a results folder.

use std::path::{Path, PathBuf};

use padwise_experiment_config::{ConfigError, MAX_CONFIG_BYTES, read_text};
use padwise_sampler::excerpt::excerpt;

use super::corpus_files::{CorpusFile, read_corpus_files};
use super::file::{optional, reading, text_of};
use super::progress::{RunProgress, rows_of};
use super::table::read_table;
use super::words::{WordsRecord, read_words};
use super::workers::{WorkerTimes, read_workers};
use super::{Environment, EpochRow, ExperimentConfig, ReadError, check_rows, check_sequence};

/// More than thousands of resumed runs need.
const MAX_ENVIRONMENT_BYTES: u64 = 16 << 20;

/// The content of a results folder.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Its name: that of the folder, because one config may have been run on several machines.
    pub name: String,
    /// Its path.
    pub folder: PathBuf,
    /// The resolved config as TOML.
    pub config_text: String,
    /// The resolved config.
    pub config: ExperimentConfig,
    /// Every environment that the run used, in order: a run may be resumed on another machine or version.
    pub environments: Vec<Environment>,
    /// The corpus files in the order of the config, with checksums. None in records of earlier versions; empty if synthetic.
    pub corpus_files: Option<Vec<CorpusFile>>,
    /// All epochs.
    pub epochs: Vec<EpochRow>,
    /// Word errors on the test set; empty if they were not measured.
    pub words: WordsRecord,
    /// Times of parallel workers; empty without `[train.parallel]`.
    pub workers: WorkerTimes,
}

impl Recorded {
    /// Whether a folder is a results folder.
    pub fn is_in(folder: &Path) -> bool {
        ["config.toml", "epochs.csv"]
            .iter()
            .all(|name| folder.join(name).is_file())
    }

    /// Reads a folder that `padwise run` wrote.
    pub fn open(folder: &Path) -> Result<Self, ReadError> {
        let config_path = folder.join("config.toml");
        if !Recorded::is_in(folder) {
            return Err(ReadError::NoRecord {
                folder: folder.into(),
            });
        }
        let config_text = text_of(&config_path, MAX_CONFIG_BYTES)?;
        let config = read_text(&config_text, &config_path, &[]).map_err(|error| match error {
            ConfigError::At {
                path,
                line,
                message: problem,
                ..
            } => ReadError::Line {
                path,
                line: line as u64,
                problem,
            },
            other => reading(&config_path)(other),
        })?;
        let epochs_path = folder.join("epochs.csv");
        let epochs = read_rows(&epochs_path)?;
        check_rows(&epochs_path, &epochs, &config)?;
        Ok(Recorded {
            name: name_of(folder, &config),
            folder: folder.into(),
            config_text,
            environments: environments(&folder.join("environment.json"))?,
            corpus_files: read_corpus_files(&folder.join("identity.json"))?,
            words: read_words(folder, &config, &epochs)?,
            workers: read_workers(folder, &config, &epochs)?,
            config,
            epochs,
        })
    }

    /// Whether every planned run has ended.
    pub fn is_finished(&self) -> bool {
        let train = &self.config.train;
        self.config.strategy.iter().all(|row| {
            let ended = |&seed: &u64| {
                RunProgress::of(rows_of(&self.epochs, &row.name, seed), train.epochs).ended
            };
            train.seeds.iter().all(ended)
        })
    }
}

fn name_of(folder: &Path, config: &ExperimentConfig) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.into());
    let name = whole
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| config.name.clone())
}

/// Columns of `epochs.csv` that records of earlier versions do not have.
const LATER_COLUMNS: [&str; 5] = [
    "character_error_percent",
    "word_error_percent",
    "cpu_seconds",
    "energy_joules",
    "rate_factor",
];

/// Reads `epochs.csv` and checks it with [`check_sequence`]. Returns no epochs if the file does not exist.
pub fn read_rows(path: &Path) -> Result<Vec<EpochRow>, ReadError> {
    let epochs = read_table(path, &LATER_COLUMNS, EpochRow::check_values)?;
    check_sequence(path, &epochs)?;
    Ok(epochs.into_iter().map(EpochRow::without_overflow).collect())
}

/// Reads `environment.json`, which is optional.
fn environments(path: &Path) -> Result<Vec<Environment>, ReadError> {
    let Some(bytes) = optional(path, MAX_ENVIRONMENT_BYTES)? else {
        return Ok(Vec::new());
    };
    serde_json::from_slice(&bytes).map_err(|error| ReadError::Line {
        path: path.into(),
        line: error.line() as u64,
        problem: without_place(&error),
    })
}

/// The message of a JSON error without its line and column, which the caller adds.
pub(crate) fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line ") {
        Some((problem, _)) => excerpt(problem),
        None => excerpt(&message),
    }
}
