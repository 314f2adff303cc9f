//! Finds audio files below a folder.
//!
//! Links to folders are followed, but no folder is visited twice, so links cannot form cycles. A link to a folder that
//! contains the corpus is not followed either: the rest of that folder is no part of the corpus.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::files::{FileError, extension, sorted_entries};

/// The audio files of one folder, with its transcripts.
pub(super) struct Folder {
    /// Audio files, sorted by name.
    pub audio: Vec<PathBuf>,
    /// Text files, sorted by name.
    pub texts: Vec<PathBuf>,
}

/// All folders below a root that contain audio. Hidden files and folders are skipped.
pub(super) struct Walk {
    /// Folders to visit.
    waiting: Vec<PathBuf>,
    /// The root, without links.
    root: PathBuf,
    /// Folders that were visited, without links.
    visited: HashSet<PathBuf>,
}

impl Walk {
    pub fn new(root: &Path) -> Result<Self, FileError> {
        let real = fs::canonicalize(root).map_err(FileError::io(root))?;
        Ok(Walk {
            waiting: vec![root.to_path_buf()],
            visited: HashSet::from([real.clone()]),
            root: real,
        })
    }

    /// Whether to visit this folder, which may be a link.
    fn enters(&mut self, folder: &Path) -> Result<bool, FileError> {
        let real = fs::canonicalize(folder).map_err(FileError::io(folder))?;
        // A folder in the corpus is visited under its own name.
        let overlaps = self.root.starts_with(&real) || real.starts_with(&self.root);
        Ok(!(folder.is_symlink() && overlaps) && self.visited.insert(real))
    }

    fn visit(&mut self, folder: &Path) -> Result<Folder, FileError> {
        let (mut audio, mut texts) = (Vec::new(), Vec::new());
        for path in sorted_entries(folder)? {
            let name = path.file_name().unwrap_or_default();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if path.is_dir() {
                if self.enters(&path)? {
                    self.waiting.push(path);
                }
                continue;
            }
            match extension(&path).as_str() {
                "wav" | "flac" => audio.push(path),
                "txt" => texts.push(path),
                _ => {}
            }
        }
        Ok(Folder { audio, texts })
    }
}

impl Iterator for Walk {
    type Item = Result<Folder, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(folder) = self.waiting.pop() {
            match self.visit(&folder) {
                Ok(found) if found.audio.is_empty() => {}
                result => return Some(result),
            }
        }
        None
    }
}
