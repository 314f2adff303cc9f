//! Reads the files of a raw corpus from a folder or an archive.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use crate::files::{FileError, sorted_entries};

/// The files of a raw corpus by name.
pub(super) struct Files {
    path: PathBuf,
    found: BTreeMap<String, Vec<u8>>,
}

impl Files {
    pub fn read(path: &Path) -> Result<Self, FileError> {
        // Transcripts are optional.
        let mut files = Files {
            path: path.to_path_buf(),
            found: BTreeMap::from([("text.tsv".to_string(), Vec::new())]),
        };
        if path.is_dir() {
            for file in sorted_entries(path)?.iter().filter(|file| file.is_file()) {
                files.read_if_known(file, || File::open(file).map_err(FileError::io(file)))?;
            }
        } else {
            let file = File::open(path).map_err(FileError::io(path))?;
            let unpacked = lzma_rust2::XzReader::new(BufReader::new(file), true);
            let mut archive = tar::Archive::new(unpacked);
            for entry in archive.entries().map_err(FileError::io(path))? {
                let entry = entry.map_err(FileError::io(path))?;
                let name = entry.path().map_err(FileError::io(path))?.into_owned();
                if entry.header().entry_type().is_file() {
                    files.read_if_known(&name, || Ok(entry))?;
                }
            }
        }
        Ok(files)
    }

    /// Reads a file if it is part of a raw corpus, and ignores it otherwise.
    fn read_if_known<R: Read>(
        &mut self,
        file: &Path,
        open: impl FnOnce() -> Result<R, FileError>,
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
        let mut bytes = Vec::new();
        let read = open()?.read_to_end(&mut bytes);
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
