//! Finds audio files below a folder.
//!
//! Links to folders are followed, but no folder is visited twice, so links cannot form cycles. A link to a folder that
//! contains the corpus is not followed either: the rest of that folder is no part of the corpus.

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
    /// The root and the targets of all links followed so far.
    roots: Vec<PathBuf>,
}

impl Walk {
    pub fn new(root: &Path) -> Result<Self, FileError> {
        let real = fs::canonicalize(root).map_err(FileError::io(root))?;
        Ok(Walk {
            waiting: vec![root.to_path_buf()],
            roots: vec![real],
        })
    }

    /// Whether to follow this link to a folder.
    fn follows(&mut self, link: &Path) -> Result<bool, FileError> {
        let target = fs::canonicalize(link).map_err(FileError::io(link))?;
        let overlaps = |root: &PathBuf| root.starts_with(&target) || target.starts_with(root);
        let is_new = !self.roots.iter().any(overlaps);
        if is_new {
            self.roots.push(target);
        }
        Ok(is_new)
    }

    fn visit(&mut self, folder: &Path) -> Result<Folder, FileError> {
        let (mut audio, mut texts) = (Vec::new(), Vec::new());
        for path in sorted_entries(folder)? {
            let name = path.file_name().unwrap_or_default();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if path.is_dir() {
                if !path.is_symlink() || self.follows(&path)? {
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
