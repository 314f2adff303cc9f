//! Which folder a run's results go to.
//!
//! Whoever types a command a second time, when its run is finished, wants it run again: the second run gets a folder beside the first.
//! One that is not finished may be what they want to go on with, so they are asked. A folder that was named is that folder or none.

use std::path::{Path, PathBuf};

use crate::config::RunConfig;
use crate::record::read_rows;

/// What can be done about a folder that holds a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Results go here.
    Here(PathBuf),
    /// Results go to the second folder, because the first holds a finished run.
    Beside(PathBuf, PathBuf),
    /// The first folder holds a run, and somebody must say what to do; the second is free.
    Ask(PathBuf, PathBuf),
}

/// Where a run that begins goes: `named` by the user, or by default `results/NAME`.
pub(super) fn choose(named: Option<&Path>, name: &str) -> Choice {
    let default = Path::new("results").join(name);
    let folder = named.unwrap_or(&default).to_path_buf();
    if !holds_run(&folder) {
        return Choice::Here(folder);
    }
    let free = next_free(&folder);
    if named.is_none() && is_finished(&folder) {
        Choice::Beside(folder, free)
    } else {
        Choice::Ask(folder, free)
    }
}

fn holds_run(folder: &Path) -> bool {
    folder.join("config.toml").exists()
}

fn next_free(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    (2u64..)
        .map(|number| folder.with_file_name(format!("{name}-{number}")))
        .find(|beside| !holds_run(beside))
        .unwrap_or_else(|| folder.into())
}

/// Whether every run that the folder's config asks for has come to its end; no, where that cannot be told.
fn is_finished(folder: &Path) -> bool {
    let text = std::fs::read_to_string(folder.join("config.toml")).unwrap_or_default();
    let Ok(config) = toml::from_str::<RunConfig>(&text) else {
        return false;
    };
    let Ok(epochs) = read_rows(&folder.join("epochs.csv")) else {
        return false;
    };
    config.strategy.iter().all(|strategy| {
        config.train.seeds.iter().all(|&seed| {
            let own = epochs
                .iter()
                .filter(|row| Some(&row.strategy) == strategy.name.as_ref() && row.seed == seed);
            let complete = own.clone().filter(|row| row.is_complete()).count() as u64;
            complete >= config.train.epochs || own.clone().any(|row| row.is_final())
        })
    })
}
