//! Reads the files of a raw corpus from a folder or an archive.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::archive;
use crate::files::{FileError, Limits, open_regular, sorted_entries};

/// The files of a raw corpus by name.
pub(super) struct Files {
    path: PathBuf,
    found: BTreeMap<String, Vec<u8>>,
}

impl Files {
    pub fn read(path: &Path, limits: &Limits) -> Result<Self, FileError> {
        // Transcripts are optional.
        let mut files = Files {
            path: path.to_path_buf(),
            found: BTreeMap::from([("text.tsv".to_string(), Vec::new())]),
        };
        if path.is_dir() {
            for file in sorted_entries(path)?.iter().filter(|file| file.is_file()) {
                let mut content = open_regular(file)?;
                let size = content.metadata().map_err(FileError::io(file))?.len();
                files.read_if_known(file, size, &mut content)?;
            }
        } else {
            archive::for_each_file(path, limits, |name, size, content| {
                files.read_if_known(name, size, content)
            })?;
        }
        Ok(files)
    }

    /// Reads a file if it is part of a raw corpus, and ignores it otherwise.
    fn read_if_known(
        &mut self,
        file: &Path,
        size: u64,
        content: &mut dyn Read,
    ) -> Result<(), FileError> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let known = ["labels.u8", "phones.txt", "index.csv", "text.tsv"];
        if dims(&name).is_some() {
            if self.features().is_ok() {
                return Err(self.fault(&name, "second feature file: keep only one"));
            }
        } else if !known.contains(&&*name) {
            return Ok(());
        }
        // The sizes of archives and files were checked, so this cannot ask for more than they hold.
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        let read = content.read_to_end(&mut bytes);
        read.map_err(FileError::io(&self.path))?;
        self.found.insert(name.into_owned(), bytes);
        Ok(())
    }

    /// Name of the feature file, and the dimensions of a frame.
    pub fn features(&self) -> Result<(String, usize), FileError> {
        let mut names = self.found.keys();
        names
            .find_map(|name| Some((name.clone(), dims(name)?)))
            .ok_or_else(|| self.fault("featN.f16le", "file not found"))
    }

    pub fn bytes(&mut self, name: &str) -> Result<Vec<u8>, FileError> {
        let bytes = self.found.remove(name);
        bytes.ok_or_else(|| self.fault(name, "file not found"))
    }

    pub fn text(&mut self, name: &str) -> Result<String, FileError> {
        let mut text = String::new();
        let read = self.bytes(name)?.as_slice().read_to_string(&mut text);
        read.map(|_| text).map_err(FileError::io(&self.path))
    }

    /// The error for a file of the folder or archive, or for a line of it if `name` is `FILE:LINE`.
    pub fn fault(&self, name: &str, reason: &str) -> FileError {
        FileError::content(&self.path, format!("{name}: {reason}"))
    }
}

fn dims(name: &str) -> Option<usize> {
    let dims = name.strip_prefix("feat")?.strip_suffix(".f16le")?;
    let dims: u16 = dims.parse().ok()?;
    (dims > 0).then_some(dims.into())
}
