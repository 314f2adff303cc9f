//! The results folder of an experiment: one process at a time, one config, no partial writes.
//!
//! | file | content |
//! | --- | --- |
//! | `config.toml` | the resolved config |
//! | `environment.json` | commit, versions, machine, device, backend, precision, kernel; a list, because a run may resume elsewhere |
//! | `epochs.csv` | one line per epoch of each run, appended when the epoch ends |
//! | `words.csv` | with `[measure.words]`: the word errors of each trained run on the test set, one line per run |
//! | `test-utterances.csv` | the ids of the test set and the number of words in each reference |
//! | `decoding.json` | the settings and files of the decoder, the same for all runs |
//! | `workers.csv` | with `[train.parallel]`: the times of the workers, one line per epoch of each run |
//! | `summary.csv`, `summary.json`, `table.md` | computed from `epochs.csv` and `words.csv` after every run |
//! | `normalisation.json` | statistics of the training utterances |
//! | `states.json` | states of phones, if the config asks for them |
//! | `identity.json` | checksums of the config, the corpus files, the statistics and the states; `--resume` refuses others |
//! | `log.txt` | timestamped log |
//! | `checkpoints/` | per unfinished run: the model after its last epoch, or at the batch where it was interrupted |
//!
//! `epochs.csv`, `words.csv` and `workers.csv` are the source of all tables. A line is written at once and synced; resuming drops
//! a line that a crash cut off. All other files are replaced atomically. No symbolic link is followed for writing.

mod choose;
mod error;
mod identity;
pub mod log;
mod states;
mod untrained;
mod words;
mod worker_times;
mod writing;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use padwise_report::files;
use padwise_report::record::{Environment, EpochRow, read_rows, rows_as_csv};
use padwise_sampler::excerpt::excerpt;
use serde::Serialize;

use crate::checkpoints;
pub use choose::{FolderChoice, choose};
pub use error::RecordError;
use error::reading;
pub use identity::{CorpusFile, Identity};
pub use states::read_states;
pub use writing::{create_folder, open_in_place, replace};

const ENVIRONMENTS: &str = "environment.json";

/// The states of phones.
pub const STATES: &str = "states.json";

/// The files that are replaced atomically while an experiment runs.
const REPLACED: [&str; 13] = [
    "config.toml",
    words::DECODING,
    "epochs.csv",
    ENVIRONMENTS,
    "identity.json",
    "normalisation.json",
    STATES,
    "summary.csv",
    "summary.json",
    "table.md",
    words::UTTERANCES,
    words::WORDS,
    worker_times::WORKERS,
];

/// A results folder, locked for this process.
pub struct ResultsFolder {
    path: PathBuf,
    epochs: File,
    _lock: File,
}

impl ResultsFolder {
    /// Opens and locks a folder for a new experiment or to resume one. Returns the epochs recorded so far.
    pub fn open(
        path: &Path,
        config: &str,
        resume: bool,
    ) -> Result<(Self, Vec<EpochRow>), RecordError> {
        let config_path = path.join("config.toml");
        if resume && !config_path.exists() {
            return Err(RecordError::NothingToResume { path: path.into() });
        }
        // Before this process leaves its own traces in the folder.
        let is_untrained = !resume && untrained::is_untrained(path);
        let checkpoints = path.join(checkpoints::FOLDER);
        create_folder(&checkpoints).map_err(RecordError::writing(&checkpoints))?;
        let lock = lock(path)?;
        for name in REPLACED {
            files::remove_temporaries(&path.join(name));
        }
        checkpoints::remove_temporaries(path);
        let epochs_path = path.join("epochs.csv");
        if config_path.exists() {
            if resume {
                let recorded = fs::read_to_string(&config_path).map_err(reading(&config_path))?;
                if recorded != config {
                    return Err(other_config(path, &recorded, config));
                }
            } else if is_untrained {
                untrained::clear(path)?;
            } else {
                return Err(RecordError::Exists { path: path.into() });
            }
        } else {
            let tables = ["epochs.csv", words::WORDS, worker_times::WORKERS];
            let mut tables = tables.into_iter().map(|name| path.join(name));
            if let Some(path) = tables.find(|path| fs::symlink_metadata(path).is_ok()) {
                return Err(RecordError::Foreign { path });
            }
        }
        let rows = if resume {
            drop_torn_line(&epochs_path)?;
            drop_torn_line(&path.join(words::WORDS))?;
            drop_torn_line(&path.join(worker_times::WORKERS))?;
            read_rows(&epochs_path)?
        } else {
            Vec::new()
        };
        // `config.toml` marks a folder that contains a run.
        replace(&config_path, config.as_bytes())?;
        let mut folder = ResultsFolder {
            path: path.into(),
            epochs: open_epochs(&epochs_path)?,
            _lock: lock,
        };
        if !rows.is_empty() && !has_every_column(&epochs_path)? {
            folder.rewrite(&rows)?;
        }
        Ok((folder, rows))
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends an epoch to `epochs.csv` and syncs it to disk.
    pub fn append(&mut self, row: &EpochRow) -> Result<(), RecordError> {
        let path = self.path.join("epochs.csv");
        let writing = || RecordError::writing(&path);
        let is_empty = self.epochs.metadata().map_err(writing())?.len() == 0;
        // One row is one line, so an incomplete row can be told from a complete one.
        let row = EpochRow {
            note: row.note.replace(['\n', '\r'], " "),
            ..row.clone()
        };
        let lines = rows_as_csv(&[row], is_empty).map_err(writing())?;
        self.epochs
            .write_all(&lines)
            .and_then(|()| self.epochs.sync_data())
            .map_err(writing())
    }

    /// Appends a line to a table other than `epochs.csv`, with the header if it is the first, and syncs it to disk.
    fn append_line(&self, name: &str, row: &impl Serialize) -> Result<(), RecordError> {
        let path = self.path.join(name);
        let writing = || RecordError::writing(&path);
        let mut file =
            open_in_place(&path, OpenOptions::new().create(true).append(true)).map_err(writing())?;
        let is_empty = file.metadata().map_err(writing())?.len() == 0;
        let line = rows_as_csv(std::slice::from_ref(row), is_empty).map_err(writing())?;
        file.write_all(&line)
            .and_then(|()| file.sync_data())
            .map_err(writing())
    }

    /// Replaces `epochs.csv`: `rows` are what it should contain.
    pub fn rewrite(&mut self, rows: &[EpochRow]) -> Result<(), RecordError> {
        let path = self.path.join("epochs.csv");
        let lines = rows_as_csv(rows, true).map_err(RecordError::writing(&path))?;
        replace(&path, &lines)?;
        self.epochs = open_epochs(&path)?;
        Ok(())
    }

    /// Adds an environment to `environment.json`, which lists every machine and version that contributed to the results.
    pub fn note_environment(&self, environment: &Environment) -> Result<(), RecordError> {
        let mut all = self.environments()?;
        let path = self.path.join(ENVIRONMENTS);
        let now = serde_json::to_value(environment).map_err(reading(&path))?;
        if all.last() == Some(&now) {
            return Ok(());
        }
        all.push(now);
        let bytes = serde_json::to_vec_pretty(&all).map_err(reading(&path))?;
        self.replace(ENVIRONMENTS, &bytes)
    }

    /// The recorded environments, the earliest first. Fields of other versions are kept.
    pub fn environments(&self) -> Result<Vec<serde_json::Value>, RecordError> {
        let path = self.path.join(ENVIRONMENTS);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(reading(&path))?,
        };
        serde_json::from_slice(&bytes).map_err(|error| RecordError::Read {
            problem: format!("{error}; restore the file or delete it"),
            path,
        })
    }

    /// Replaces a file of this folder atomically.
    pub fn replace(&self, name: &str, content: &[u8]) -> Result<(), RecordError> {
        replace(&self.path.join(name), content)
    }
}

fn open_epochs(path: &Path) -> Result<File, RecordError> {
    open_in_place(path, OpenOptions::new().create(true).append(true))
        .map_err(RecordError::writing(path))
}

/// Whether a record has the columns of this version. An earlier version may have had fewer.
fn has_every_column(path: &Path) -> Result<bool, RecordError> {
    let found = fs::read_to_string(path).map_err(reading(path))?;
    let expected = rows_as_csv(&[EpochRow::default()], true).map_err(reading(path))?;
    let expected = String::from_utf8_lossy(&expected);
    Ok(found.lines().next() == expected.lines().next())
}

/// Locks the folder. The system releases the lock when the process ends for any reason.
fn lock(path: &Path) -> Result<File, RecordError> {
    let lock_path = path.join("lock");
    let file = open_in_place(&lock_path, OpenOptions::new().create(true).write(true))
        .map_err(RecordError::writing(&lock_path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(RecordError::Busy { path: path.into() }),
        Err(fs::TryLockError::Error(source)) => Err(RecordError::writing(&lock_path)(source)),
    }
}

fn other_config(path: &Path, recorded: &str, given: &str) -> RecordError {
    let nothing = "nothing";
    let count = recorded.lines().count().max(given.lines().count());
    let (mut old, mut new) = (recorded.lines(), given.lines());
    let (recorded, given) = (0..count)
        .map(|_| (old.next().unwrap_or(nothing), new.next().unwrap_or(nothing)))
        .find(|(old, new)| old != new)
        .unwrap_or((nothing, nothing));
    RecordError::OtherConfig {
        path: path.into(),
        recorded: excerpt(recorded),
        given: excerpt(given),
    }
}

/// Removes a line without a newline, which a crash cut off.
fn drop_torn_line(path: &Path) -> Result<(), RecordError> {
    let Ok(content) = fs::read(path) else {
        return Ok(());
    };
    let whole = content
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    if whole < content.len() {
        open_in_place(path, OpenOptions::new().write(true))
            .and_then(|file| file.set_len(whole as u64))
            .map_err(RecordError::writing(path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
