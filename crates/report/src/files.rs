//! Output files, built in memory first so that they can be compared with the files on disk or written.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use atomic_write_file::AtomicWriteFile;
use thiserror::Error;

use crate::record::{MAX_TABLE_BYTES, bytes_of};

/// An output file.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path.
    pub path: PathBuf,
    /// Its content.
    pub content: Vec<u8>,
}

/// A file that cannot be written.
#[derive(Debug, Error)]
#[error("cannot write {}: {source}", .path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// The error of the operating system.
    pub source: io::Error,
}

impl File {
    /// Whether the file on disk is missing or out of date. The content of a PNG is not compared, because its SVG is.
    pub fn is_stale(&self) -> bool {
        let bitmap = self.path.extension().is_some_and(|kind| kind == "png");
        match bytes_of(&self.path, MAX_TABLE_BYTES) {
            Ok(content) => !bitmap && content != self.content,
            Err(_) => true,
        }
    }

    /// Writes the file atomically and creates missing folders.
    pub fn write(&self) -> Result<(), WriteError> {
        let replace = || {
            fs::create_dir_all(self.path.parent().unwrap_or(Path::new("")))?;
            let mut file = AtomicWriteFile::open(&self.path)?;
            file.write_all(&self.content)?;
            file.commit()
        };
        replace().map_err(|source| WriteError {
            path: self.path.clone(),
            source,
        })
    }
}
