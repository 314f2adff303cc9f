//! Collects sources and checks that ids are unique and, if asked, that files exist.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use padwise_sampler::excerpt::excerpt;

use super::source::Source;
use crate::files::FileError;

/// What to do with an utterance whose audio or label file does not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingFiles {
    /// Return an error.
    #[default]
    Refuse,
    /// List it anyway: reading the utterance returns the error.
    List,
}

/// A list of sources with unique ids.
pub(super) struct Sources {
    missing: MissingFiles,
    list: Vec<Source>,
    seen: HashMap<String, (PathBuf, u64)>,
}

impl Sources {
    pub fn new(missing: MissingFiles) -> Self {
        Sources {
            missing,
            list: Vec::new(),
            seen: HashMap::new(),
        }
    }

    pub fn add(&mut self, path: &Path, line: u64, source: Source) -> Result<(), FileError> {
        let id = &source.id;
        let mut files = std::iter::once(&source.audio).chain(&source.labels);
        if self.missing == MissingFiles::Refuse
            && let Some(missing) = files.find(|file| !file.is_file())
        {
            let (id, missing) = (excerpt(id), missing.display());
            let reason = format!("utterance {id}: file not found: {missing}");
            return Err(FileError::line(path, line, reason));
        }
        let here = (path.to_path_buf(), line);
        if let Some((earlier, number)) = self.seen.insert(id.clone(), here) {
            let earlier = if path == earlier {
                format!("on line {number}")
            } else {
                format!("in {}:{number}", earlier.display())
            };
            let reason = format!("duplicate id {}, already used {earlier}", excerpt(id));
            return Err(FileError::line(path, line, reason));
        }
        self.list.push(source);
        Ok(())
    }

    /// Whether there is an utterance with this id.
    pub fn has(&self, id: &str) -> bool {
        self.seen.contains_key(id)
    }

    /// Returns the list, which must not be empty.
    pub fn finish(self, path: &Path, reason: &str) -> Result<Vec<Source>, FileError> {
        if self.list.is_empty() {
            return Err(FileError::content(path, reason));
        }
        Ok(self.list)
    }
}
