//! Recognises and clears a run that trained no epoch, for example because its config was wrong.
//!
//! Such a run has nothing to resume, so a new run may take its folder. Its log stays.

use std::fs;
use std::io;
use std::path::Path;

use padwise_report::record::{Status, read_rows};

use super::{REPLACED, RecordError};
use crate::checkpoints;

/// Entries of a results folder that stay when it is cleared.
const KEPT: [&str; 3] = ["log.txt", "lock", checkpoints::FOLDER];

/// Whether the folder contains a run without a trained epoch and without a checkpoint, and no file of anyone else. False while
/// the run is in progress.
pub(super) fn is_untrained(folder: &Path) -> bool {
    let is_own = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| {
            let name = entry.file_name();
            let mut own = REPLACED.iter().chain(&KEPT);
            own.any(|own| name == *own)
        })
    };
    // Workers lock the folder of checkpoints.
    let is_lock =
        |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|entry| entry.file_name() == "lock");
    let is_run = |name: &str| folder.join(name).exists();
    // A config alone may be one that the user wrote.
    folder.join("config.toml").is_file()
        && is_run("lock")
        && is_run(checkpoints::FOLDER)
        && !is_in_use(folder)
        && fs::read_dir(folder).is_ok_and(|mut entries| entries.all(is_own))
        && fs::read_dir(folder.join(checkpoints::FOLDER))
            .map_or(true, |mut entries| entries.all(is_lock))
        && has_no_epoch(&folder.join("epochs.csv"))
}

/// Whether another process is writing to the folder.
fn is_in_use(folder: &Path) -> bool {
    let lock = fs::File::open(folder.join("lock"));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock)))
}

/// Whether no row is of a trained epoch. A file that cannot be read may have one.
fn has_no_epoch(epochs: &Path) -> bool {
    match fs::metadata(epochs) {
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        Ok(found) if found.len() == 0 => true,
        Ok(_) => {
            read_rows(epochs).is_ok_and(|rows| rows.iter().all(|row| row.status == Status::Failed))
        }
    }
}

/// Removes the files of an untrained run, except `config.toml`: it marks a folder that contains a run, and will be replaced.
pub(super) fn clear(folder: &Path) -> Result<(), RecordError> {
    for name in REPLACED.iter().filter(|&&name| name != "config.toml") {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(RecordError::writing(&path)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use padwise_report::record::EpochRow;

    use super::super::ResultsFolder;
    use super::*;

    fn row(status: Status) -> EpochRow {
        EpochRow {
            strategy: "a".into(),
            seed: 1,
            epoch: 1,
            status,
            ..EpochRow::default()
        }
    }

    #[test]
    fn a_run_without_a_trained_epoch_is_replaced_and_keeps_its_log() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().join("run");
        let open = |config: &str| ResultsFolder::open(&path, config, false);
        let (mut folder, _) = open("x = 1\n").expect("a new folder");
        folder.append(&row(Status::Failed)).expect("writable");
        folder.replace("identity.json", b"{}").expect("writable");
        fs::write(path.join("log.txt"), "failed").expect("writable");
        assert!(open("x = 2\n").is_err(), "the folder is in use");
        drop(folder);
        let (mut folder, rows) = open("x = 2\n").expect("nothing was trained");
        assert_eq!(rows, []);
        assert!(!path.join("identity.json").exists());
        let read = |name: &str| fs::read_to_string(path.join(name)).expect("a file");
        assert_eq!(
            (read("epochs.csv"), read("config.toml")),
            (String::new(), "x = 2\n".into())
        );
        assert_eq!(read("log.txt"), "failed");
        folder.append(&row(Status::Trained)).expect("writable");
        drop(folder);
        assert!(open("x = 3\n").is_err(), "an epoch was trained");
    }

    #[test]
    fn a_config_that_the_user_wrote_is_not_a_run() {
        let temporary = tempfile::tempdir().expect("a folder");
        let config = temporary.path().join("config.toml");
        fs::write(&config, "# mine\n").expect("writable");
        assert!(!is_untrained(temporary.path()));
        assert!(ResultsFolder::open(temporary.path(), "x = 1\n", false).is_err());
        assert_eq!(fs::read_to_string(&config).expect("there"), "# mine\n");
    }

    #[test]
    fn a_run_in_progress_is_not_untrained() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().join("run");
        let folder = ResultsFolder::open(&path, "x = 1\n", false).expect("a new folder");
        assert!(!is_untrained(&path));
        drop(folder);
        assert!(is_untrained(&path));
    }

    #[test]
    fn checkpoints_and_other_files_are_never_touched() {
        let temporary = tempfile::tempdir().expect("a folder");
        for name in ["notes.txt", "checkpoints/0-1.safetensors"] {
            let path = temporary.path().join(name.replace('/', "-"));
            ResultsFolder::open(&path, "x = 1\n", false).expect("a new folder");
            assert!(is_untrained(&path), "{name}");
            fs::write(path.join(name), "").expect("writable");
            assert!(!is_untrained(&path), "{name}");
            assert!(
                ResultsFolder::open(&path, "x = 2\n", false).is_err(),
                "{name}"
            );
            assert!(path.join(name).exists());
        }
    }
}
