//! The results folder of an experiment: one process at a time, one config, no partial writes.
//!
//! | file | content |
//! | --- | --- |
//! | `config.toml` | the resolved config |
//! | `environment.json` | commit, versions, machine, device, backend, precision, kernel; a list, because a run may resume elsewhere |
//! | `epochs.csv` | one line per epoch of each run, appended when the epoch ends |
//! | `summary.csv`, `summary.json`, `table.md` | computed from `epochs.csv` after every run |
//! | `normalisation.json` | statistics of the training utterances |
//! | `log.txt` | timestamped log |
//! | `checkpoints/` | per unfinished run: the model after its last epoch, or at the batch where it was interrupted |
//!
//! `epochs.csv` is the source of all tables. A line is written at once and synced; resuming drops a line that a crash cut off. All
//! other files are replaced atomically.

mod choose;
mod error;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use atomic_write_file::AtomicWriteFile;
use padwise_report::record::{Environment, EpochRow, read_rows};

pub use choose::{FolderChoice, choose};
pub use error::RecordError;

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
        fs::create_dir_all(path.join("checkpoints")).map_err(writing(path))?;
        let lock = lock(path)?;
        if config_path.exists() {
            if !resume {
                return Err(RecordError::Exists { path: path.into() });
            }
            let recorded = fs::read_to_string(&config_path).map_err(reading(&config_path))?;
            if recorded != config {
                return Err(other_config(path, &recorded, config));
            }
        }
        let epochs_path = path.join("epochs.csv");
        let rows = if resume {
            drop_torn_line(&epochs_path)?;
            read_rows(&epochs_path)?
        } else {
            Vec::new()
        };
        let epochs = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&epochs_path)
            .map_err(writing(&epochs_path))?;
        let folder = ResultsFolder {
            path: path.into(),
            epochs,
            _lock: lock,
        };
        // Written last: `config.toml` marks a folder that contains a run.
        folder.replace("config.toml", config.as_bytes())?;
        Ok((folder, rows))
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a run's checkpoint after an epoch (from 1). Rows are numbered from 0.
    pub fn checkpoint(folder: &Path, row: usize, seed: u64, epoch: u64) -> PathBuf {
        folder.join("checkpoints").join(format!(
            "row{row:02}-seed{seed}-epoch{epoch:04}.safetensors"
        ))
    }

    /// Removes the checkpoints of a run: all, or those before an epoch. Never later ones, which the worker may be writing.
    pub fn remove_checkpoints(&self, row: usize, seed: u64, before: Option<u64>) {
        let prefix = format!("row{row:02}-seed{seed}-epoch");
        let entries = fs::read_dir(self.path.join("checkpoints"));
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            // A leading dot marks a partial file of a killed worker.
            let Some(rest) = name.trim_start_matches('.').strip_prefix(&prefix) else {
                continue;
            };
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let epoch = digits.parse::<u64>();
            if before.is_none_or(|kept| epoch.is_ok_and(|epoch| epoch < kept)) {
                // A checkpoint that stays does no harm.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Appends an epoch to `epochs.csv` and syncs it to disk.
    pub fn append(&mut self, row: &EpochRow) -> Result<(), RecordError> {
        let path = self.path.join("epochs.csv");
        let is_empty = self.epochs.metadata().map_err(writing(&path))?.len() == 0;
        let mut writer = csv::WriterBuilder::new()
            .has_headers(is_empty)
            .from_writer(Vec::new());
        let line = writer
            .serialize(row)
            .map_err(io::Error::other)
            .and_then(|()| {
                writer
                    .into_inner()
                    .map_err(|error| io::Error::other(error.to_string()))
            })
            .map_err(writing(&path))?;
        self.epochs
            .write_all(&line)
            .and_then(|()| self.epochs.sync_data())
            .map_err(writing(&path))
    }

    /// Adds an environment to `environment.json`, which lists every machine and version that contributed to the results.
    pub fn note_environment(&self, environment: &Environment) -> Result<(), RecordError> {
        const NAME: &str = "environment.json";
        let path = self.path.join(NAME);
        let mut all: Vec<serde_json::Value> = fs::read(&path)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let now = serde_json::to_value(environment).map_err(reading(&path))?;
        if all.last() == Some(&now) {
            return Ok(());
        }
        all.push(now);
        let bytes = serde_json::to_vec_pretty(&all).map_err(reading(&path))?;
        self.replace(NAME, &bytes)
    }

    /// Replaces a file of this folder atomically.
    pub fn replace(&self, name: &str, content: &[u8]) -> Result<(), RecordError> {
        replace(&self.path.join(name), content)
    }
}

/// Replaces a file atomically.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), RecordError> {
    let write = || {
        let mut file = AtomicWriteFile::open(path)?;
        file.write_all(content)?;
        file.commit()
    };
    write().map_err(writing(path))
}

fn writing(path: &Path) -> impl Fn(io::Error) -> RecordError {
    move |source| RecordError::Write {
        path: path.into(),
        source,
    }
}

fn reading<E: ToString>(path: &Path) -> impl Fn(E) -> RecordError {
    move |error| RecordError::Read {
        path: path.into(),
        problem: error.to_string(),
    }
}

/// Locks the folder. The system releases the lock when the process ends for any reason.
fn lock(path: &Path) -> Result<File, RecordError> {
    let lock_path = path.join("lock");
    let file = File::create(&lock_path).map_err(writing(&lock_path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(RecordError::Busy { path: path.into() }),
        Err(fs::TryLockError::Error(source)) => Err(writing(&lock_path)(source)),
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
        recorded: recorded.into(),
        given: given.into(),
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
        let file = OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(writing(path))?;
        file.set_len(whole as u64).map_err(writing(path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(epoch: u64) -> EpochRow {
        EpochRow {
            strategy: "a, \"b\"".into(),
            seed: 1,
            epoch,
            validation_loss: Some(0.1 + 0.2),
            ..EpochRow::default()
        }
    }

    #[test]
    fn epochs_survive_to_the_last_bit_and_torn_lines_do_not() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().join("run");
        let (mut folder, rows) =
            ResultsFolder::open(&path, "x = 1\n", false).expect("a new folder");
        assert_eq!(rows, []);
        folder.append(&row(1)).expect("writable");
        folder.append(&row(2)).expect("writable");
        drop(folder);
        let mut file = OpenOptions::new()
            .append(true)
            .open(path.join("epochs.csv"))
            .expect("there");
        file.write_all(b"a,1,3,trai").expect("writable");
        let (mut folder, rows) = ResultsFolder::open(&path, "x = 1\n", true).expect("resumable");
        assert_eq!(rows, [row(1), row(2)]);
        folder.append(&row(3)).expect("writable");
        let rows = read_rows(&path.join("epochs.csv")).expect("readable");
        assert_eq!(rows.len(), 3);
    }

    #[test]
    fn a_folder_belongs_to_one_run_of_one_config() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().join("run");
        let refused = |config: &str, resume: bool| {
            ResultsFolder::open(&path, config, resume)
                .err()
                .map(|error| {
                    error
                        .to_string()
                        .replace(&path.display().to_string(), "RUN")
                })
                .unwrap_or_default()
        };
        assert!(refused("x = 1\n", true).contains("contains no run to resume"));
        let (folder, _) =
            ResultsFolder::open(&path, "x = 1\ny = 2\n", false).expect("a new folder");
        assert!(refused("x = 1\ny = 2\n", true).contains("in use by another run"));
        drop(folder);
        assert!(refused("x = 1\ny = 2\n", false).contains("already contains a run"));
        insta::assert_snapshot!(refused("x = 1\ny = 3\n", true), @"RUN was recorded with another config (recorded `y = 2`, given `y = 3`): use that config, or pass another folder with --out");
        ResultsFolder::open(&path, "x = 1\ny = 2\n", true).expect("the same config");
    }
}
