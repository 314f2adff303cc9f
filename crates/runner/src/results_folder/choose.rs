//! Chooses the results folder of a new run.
//!
//! The default is `results/NAME`. If it contains a finished run, the new run gets `results/NAME-2`. If it contains an unfinished run,
//! the user must choose between resuming and a new folder. A run that trained no epoch is replaced. A folder passed with `--out` is
//! used as given or refused. Files that are not from padwise are never touched.

use std::path::{Path, PathBuf};

use padwise_report::record::Recorded;

use super::untrained::is_untrained;
use crate::checkpoints;

/// Entries that exist before `config.toml` does. A run that got no further left nothing worth keeping.
const BEGUN: [&str; 2] = [checkpoints::FOLDER, "lock"];

/// The results folder of a new run.
#[derive(Debug, PartialEq, Eq)]
pub enum FolderChoice {
    /// Use this folder.
    Here(PathBuf),
    /// Use the second folder: the first contains what the text names.
    Beside(PathBuf, &'static str, PathBuf),
    /// The first folder contains a run and the user must decide; the second is free.
    Ask(PathBuf, PathBuf),
    /// The first folder contains files that are not from padwise; the second is free.
    Refuse(PathBuf, PathBuf),
}

/// Chooses the folder of a new run: `named` by the user, or `results/NAME`.
pub fn choose(named: Option<&Path>, name: &str) -> FolderChoice {
    let default = Path::new("results").join(name);
    let folder = named.unwrap_or(&default).to_path_buf();
    if is_free(&folder) || is_untrained(&folder) {
        return FolderChoice::Here(folder);
    }
    let free = next_free(&folder);
    match (contains_run(&folder), named) {
        (true, None) if is_finished(&folder) => {
            FolderChoice::Beside(folder, "a finished run", free)
        }
        (true, _) => FolderChoice::Ask(folder, free),
        (false, None) => FolderChoice::Beside(folder, "other files", free),
        (false, Some(_)) => FolderChoice::Refuse(folder, free),
    }
}

fn contains_run(folder: &Path) -> bool {
    folder.join("config.toml").exists()
}

fn is_free(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let begun = entries.map(|entry| entry.file_name()).all(|name| {
        let name = name.to_string_lossy();
        // If the file system has no unnamed files, a killed run may leave a partial config.
        BEGUN.contains(&name.as_ref()) || name.starts_with(".config.toml.")
    });
    let checkpoints = std::fs::read_dir(folder.join(checkpoints::FOLDER));
    begun && checkpoints.into_iter().flatten().next().is_none()
}

fn next_free(folder: &Path) -> PathBuf {
    let numbered = |number: u64| match folder.file_name() {
        Some(name) => folder.with_file_name(format!("{}-{number}", name.to_string_lossy())),
        // `.` and `..` have no file name.
        None => folder.join(format!("results-{number}")),
    };
    (2..)
        .map(numbered)
        .find(|candidate| is_free(candidate) || is_untrained(candidate))
        .unwrap_or_else(|| folder.into())
}

/// Whether every run of the folder's config has ended; false if the folder cannot be read.
fn is_finished(folder: &Path) -> bool {
    Recorded::open(folder).is_ok_and(|recorded| recorded.is_finished())
}
