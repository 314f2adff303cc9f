//! Reads a results folder.
//!
//! The run may still be going. An incomplete last line of `epochs.csv` is ignored, as `--resume` does.

use std::fs;
use std::path::{Path, PathBuf};

use csv::StringRecord;
use padwise_experiment_config::{ConfigError, read_text};

use super::run::{RunProgress, rows_of};
use super::{Environment, EpochRow, ExperimentConfig, ReadError, check_rows, check_sequence};

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
        let config_text = fs::read_to_string(&config_path).map_err(reading(&config_path))?;
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
    if !path.exists() {
        return Ok(Vec::new());
    }
    let content = fs::read(path).map_err(reading(path))?;
    let whole = content.iter().rposition(|&byte| byte == b'\n');
    let mut reader = csv::Reader::from_reader(&content[..whole.map_or(0, |at| at + 1)]);
    let names = reader.headers().map_err(reading(path))?.clone();
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
        epochs.push(row.finite());
    }
    check_sequence(path, &epochs)?;
    Ok(epochs)
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
                (Some(name), Some(value)) => format!("invalid {name} `{value}`: {}", err.kind()),
                _ => err.to_string(),
            }
        }
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!("{len} fields, expected {expected_len} as in the header"),
        _ => error.to_string(),
    }
}

/// Reads `environment.json`, which is optional.
fn environments(path: &Path) -> Result<Vec<Environment>, ReadError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let bytes = fs::read(path).map_err(reading(path))?;
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
        Some((problem, _)) => problem.to_owned(),
        None => message,
    }
}

fn reading<E: ToString>(path: &Path) -> impl Fn(E) -> ReadError {
    move |error| ReadError::File {
        path: path.into(),
        problem: error.to_string(),
    }
}
