//! Reads a results folder.
//!
//! The run may still be going. An incomplete last line of `epochs.csv` is ignored, as `--resume` does.

use std::path::{Path, PathBuf};

use csv::StringRecord;
use padwise_experiment_config::{ConfigError, MAX_CONFIG_BYTES, read_text};
use padwise_sampler::excerpt::excerpt;

use super::file::{MAX_TABLE_BYTES, optional, reading, text_of};
use super::run::{RunProgress, rows_of};
use super::sequence::REMEDY;
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
    /// All epochs.
    pub epochs: Vec<EpochRow>,
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
            config,
            config_text,
            environments: environments(&folder.join("environment.json"))?,
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

/// Reads `epochs.csv` and checks it with [`check_sequence`]. Returns no epochs if the file does not exist.
pub fn read_rows(path: &Path) -> Result<Vec<EpochRow>, ReadError> {
    let Some(content) = optional(path, MAX_TABLE_BYTES)? else {
        return Ok(Vec::new());
    };
    let whole = content.iter().rposition(|&byte| byte == b'\n');
    let mut reader = csv::Reader::from_reader(&content[..whole.map_or(0, |at| at + 1)]);
    let names = reader.headers().map_err(reading(path))?.clone();
    check_header(path, &names)?;
    let mut epochs = Vec::new();
    for line in reader.records() {
        let at = |error: csv::Error, line: Option<&StringRecord>| match error.position() {
            Some(position) => ReadError::Line {
                path: path.into(),
                line: position.line(),
                problem: problem_of(&error, &names, line),
            },
            None => reading(path)(error),
        };
        let line = line.map_err(|error| at(error, None))?;
        let row: EpochRow = line
            .deserialize(Some(&names))
            .map_err(|error| at(error, Some(&line)))?;
        row.check_values().map_err(|problem| ReadError::Line {
            path: path.into(),
            line: line.position().map_or(0, csv::Position::line),
            problem: format!("{problem}; {REMEDY}"),
        })?;
        epochs.push(row.without_overflow());
    }
    check_sequence(path, &epochs)?;
    Ok(epochs)
}

/// Columns that records of earlier versions do not have.
const LATER_COLUMNS: [&str; 2] = ["character_error_percent", "word_error_percent"];

/// Checks that the header has every column once. An empty file has no header yet.
fn check_header(path: &Path, names: &StringRecord) -> Result<(), ReadError> {
    let refused = |problem: String| ReadError::Line {
        path: path.into(),
        line: 1,
        problem: format!("{problem}; {REMEDY}"),
    };
    if names.is_empty() {
        return Ok(());
    }
    for column in columns() {
        match names.iter().filter(|name| *name == column).count() {
            1 => {}
            0 if LATER_COLUMNS.contains(&column.as_str()) => {}
            0 => return Err(refused(format!("missing column {column}"))),
            _ => return Err(refused(format!("duplicate column {column}"))),
        }
    }
    Ok(())
}

/// The columns of `epochs.csv`.
fn columns() -> Vec<String> {
    let row = serde_json::to_value(EpochRow::default()).unwrap_or_default();
    let fields = row.as_object().into_iter().flatten();
    fields.map(|(name, _)| name.clone()).collect()
}

/// The line of the row with this index, from 1. Quoted notes may span lines, so the file is read again.
pub(super) fn line_of(path: &Path, index: usize) -> u64 {
    let found = csv::Reader::from_path(path).ok().and_then(|mut reader| {
        let record = reader.records().nth(index)?.ok()?;
        Some(record.position()?.line())
    });
    found.unwrap_or(index as u64 + 2)
}

/// Describes what is wrong with a line; the caller adds the line number.
fn problem_of(error: &csv::Error, names: &StringRecord, line: Option<&StringRecord>) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => {
            let field = err.field().and_then(|field| usize::try_from(field).ok());
            let of = |record: &StringRecord| record.get(field?).map(str::to_owned);
            match (of(names), line.and_then(of)) {
                (Some(name), Some(value)) => {
                    format!("invalid {name} `{}`: {}", excerpt(&value), kind_of(err))
                }
                _ => excerpt(&err.to_string()),
            }
        }
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!("{len} fields, expected {expected_len} as in the header"),
        _ => error.to_string(),
    }
}

/// Why a field cannot be read, without the value, which the caller adds.
fn kind_of(error: &csv::DeserializeError) -> String {
    match error.kind() {
        csv::DeserializeErrorKind::Message(message) => excerpt(message),
        other => other.to_string(),
    }
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
