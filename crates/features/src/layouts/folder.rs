//! Folders in a fixed order, lines with their numbers, and lists that notice what is doubled or missing.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::{LayoutError, Source};

/// What is in a folder, by name: the system's own order is another one on every machine.
pub(super) fn sorted(folder: &Path) -> Result<Vec<PathBuf>, LayoutError> {
    let mut paths = fs::read_dir(folder)
        .and_then(|entries| {
            entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect::<Result<Vec<_>, _>>()
        })
        .map_err(LayoutError::io(folder))?;
    paths.sort();
    Ok(paths)
}

/// The lines of a text file that are not empty, with their numbers.
pub(super) fn lines(path: &Path) -> Result<Vec<(u64, String)>, LayoutError> {
    let file = File::open(path).map_err(LayoutError::io(path))?;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.map_err(|error| LayoutError::line(path, number, error.to_string()))?;
        if !line.trim().is_empty() {
            lines.push((number, line));
        }
    }
    Ok(lines)
}

/// Sources, gathered under the rule that ids are unique and files exist.
#[derive(Default)]
pub(super) struct Sources {
    list: Vec<Source>,
    seen: HashMap<String, (PathBuf, u64)>,
}

impl Sources {
    pub fn add(&mut self, path: &Path, line: u64, source: Source) -> Result<(), LayoutError> {
        let files = std::iter::once(&source.audio).chain(&source.labels);
        if let Some(missing) = files.into_iter().find(|file| !file.is_file()) {
            return Err(LayoutError::MissingFile {
                path: path.to_path_buf(),
                line,
                id: source.id,
                missing: missing.clone(),
            });
        }
        let here = (path.to_path_buf(), line);
        if let Some((earlier_path, earlier_line)) = self.seen.insert(source.id.clone(), here) {
            return Err(LayoutError::DuplicateId {
                path: path.to_path_buf(),
                line,
                id: source.id,
                earlier_path,
                earlier_line,
            });
        }
        self.list.push(source);
        Ok(())
    }

    /// Whether there is an utterance of this id.
    pub fn has(&self, id: &str) -> bool {
        self.seen.contains_key(id)
    }

    /// The list, which must not be empty.
    pub fn finish(self, path: &Path, reason: &str) -> Result<Vec<Source>, LayoutError> {
        if self.list.is_empty() {
            return Err(LayoutError::Empty {
                path: path.to_path_buf(),
                reason: reason.to_string(),
            });
        }
        Ok(self.list)
    }
}
