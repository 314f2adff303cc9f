//! Files to be: made in memory first, so that they can be compared with what is there as well as written.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use atomic_write_file::AtomicWriteFile;
use thiserror::Error;

/// A file to be.
#[derive(Clone, Debug)]
pub struct File {
    /// Where it belongs.
    pub path: PathBuf,
    /// What is in it.
    pub content: Vec<u8>,
}

/// A file that cannot be written.
#[derive(Debug, Error)]
#[error("cannot write {}: {source}", .path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl File {
    /// Whether what is on the disk is something else, or nothing. Of pictures only the SVG is looked at: the PNG shows the same.
    pub fn is_stale(&self) -> bool {
        let bitmap = self.path.extension().is_some_and(|kind| kind == "png");
        match fs::read(&self.path) {
            Ok(content) => !bitmap && content != self.content,
            Err(_) => true,
        }
    }

    /// Writes it, with the folders on the way: it is there whole, the old one or the new one.
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
