//! Which folder a run's results go to.
//!
//! Whoever types a command a second time, when its run is finished, wants it run again: the second run gets a folder beside the first.
//! One that is not finished may be what they want to go on with, so they are asked. A folder that was named is that folder or none, and
//! files that no run has made are left alone.

use std::path::{Path, PathBuf};

use padwise_report::record::Recorded;

/// What is there before a run has its config: a run that got no further left nothing worth keeping.
const BEGUN: [&str; 3] = ["checkpoints", "epochs.csv", "lock"];

/// What can be done about a folder.
#[derive(Debug, PartialEq, Eq)]
pub enum FolderChoice {
    /// Results go here.
    Here(PathBuf),
    /// Results go to the second folder, because the first is taken, by this.
    Beside(PathBuf, &'static str, PathBuf),
    /// The first folder holds a run, and somebody must say what to do; the second is free.
    Ask(PathBuf, PathBuf),
    /// The first folder holds files of somebody else's; the second is free.
    Refuse(PathBuf, PathBuf),
}

/// Where a run that begins goes: `named` by the user, or by default `results/NAME`.
pub fn choose(named: Option<&Path>, name: &str) -> FolderChoice {
    let default = Path::new("results").join(name);
    let folder = named.unwrap_or(&default).to_path_buf();
    if is_free(&folder) {
        return FolderChoice::Here(folder);
    }
    let free = next_free(&folder);
    match (holds_run(&folder), named) {
        (true, None) if is_finished(&folder) => {
            FolderChoice::Beside(folder, "a finished run", free)
        }
        (true, _) => FolderChoice::Ask(folder, free),
        (false, None) => FolderChoice::Beside(folder, "other files", free),
        (false, Some(_)) => FolderChoice::Refuse(folder, free),
    }
}

fn holds_run(folder: &Path) -> bool {
    folder.join("config.toml").exists()
}

fn is_free(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).all(|name| {
        let name = name.to_string_lossy();
        // Where the file system has no unnamed files, a killed run may leave the beginning of its config.
        BEGUN.contains(&name.as_ref()) || name.starts_with(".config.toml.")
    })
}

fn next_free(folder: &Path) -> PathBuf {
    let numbered = |number: u64| match folder.file_name() {
        Some(name) => folder.with_file_name(format!("{}-{number}", name.to_string_lossy())),
        // As `.` and `..` have it.
        None => folder.join(format!("results-{number}")),
    };
    (2..)
        .map(numbered)
        .find(|beside| is_free(beside))
        .unwrap_or_else(|| folder.into())
}

/// Whether every run that the folder's config asks for has come to its end; no, where that cannot be told.
fn is_finished(folder: &Path) -> bool {
    Recorded::open(folder).is_ok_and(|recorded| recorded.is_finished())
}
