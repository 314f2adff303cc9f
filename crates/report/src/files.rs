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
        let create = fs::create_dir_all(self.path.parent().unwrap_or(Path::new("")));
        let written = create.and_then(|()| replace(&self.path, &self.content));
        written.map_err(|source| WriteError {
            path: self.path.clone(),
            source,
        })
    }
}

/// Replaces a file atomically. A symbolic link of this name is replaced; its target stays as it is.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_with(path, |file| file.write_all(content))
}

/// Replaces a file atomically by what `write` writes to it. If it fails, the file stays as it is.
pub fn replace_with<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    let write = || {
        let mut file = AtomicWriteFile::open(path)?;
        let result = write(&mut file)?;
        file.commit()?;
        Ok(result)
    };
    // Leftovers of an earlier process, and of this one if it fails.
    remove_temporaries(path);
    let written = write();
    if written.is_err() {
        remove_temporaries(path);
    }
    written
}

/// Removes temporary files that a killed process or a failed rename left beside a file. No other process may be writing the file.
pub fn remove_temporaries(path: &Path) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new(".")));
    for entry in entries.into_iter().flatten().flatten() {
        if is_temporary(&entry.file_name().to_string_lossy(), &name) {
            // A file that stays does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a name is that of a temporary file of `name`: `.NAME.XXXXXX` with six letters or digits.
fn is_temporary(found: &str, name: &str) -> bool {
    let rest = found
        .strip_prefix('.')
        .and_then(|rest| rest.strip_prefix(name));
    let random = rest.and_then(|rest| rest.strip_prefix('.'));
    random.is_some_and(|text| text.len() == 6 && text.bytes().all(|c| c.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_temporary_files_of_the_same_name_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = [
            ".a.csv.x1Y2z3",
            ".a.csv.x1Y2z",
            ".b.csv.x1Y2z3",
            "a.csv.x1Y2z3",
            ".a.csv.x1/../",
        ];
        for name in &names[..4] {
            fs::write(folder.path().join(name), "").expect("writable");
        }
        remove_temporaries(&folder.path().join("a.csv"));
        let left = names[..4]
            .iter()
            .filter(|name| folder.path().join(name).exists());
        assert_eq!(left.collect::<Vec<_>>(), [&names[1], &names[2], &names[3]]);
        assert!(!is_temporary(names[4], "a.csv"));
    }
}
