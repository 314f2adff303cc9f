//! A temporary folder for each thread, in memory if possible, for readers that take a path.

use std::cell::OnceCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

/// The folder of this thread. `TMPDIR` says where it is made; the default is memory, or else the system's choice.
///
/// # Panics
/// The folder cannot be made.
pub fn folder() -> PathBuf {
    FOLDER.with(|folder| {
        let made = folder.get_or_init(|| {
            let memory = Path::new("/dev/shm");
            let parent = match std::env::var_os("TMPDIR") {
                None if memory.is_dir() => memory.into(),
                _ => std::env::temp_dir(),
            };
            let made = tempfile::Builder::new()
                .prefix("padwise-fuzz-")
                .tempdir_in(parent);
            made.expect("a temporary folder: set TMPDIR")
        });
        made.path().to_path_buf()
    })
}

/// Writes a file in the folder of this thread and returns its path. Replaces an earlier file of this name.
///
/// # Panics
/// The file cannot be written.
pub fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = folder().join(name);
    let write = || -> io::Result<()> {
        match fs::write(&path, content) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
                fs::write(&path, content)
            }
            done => done,
        }
    };
    write().unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    path
}

/// Writes the files of an input below `folder`: part `n` becomes `names[n]`. Removes files whose part is missing. Returns
/// the path of the folder.
pub fn files(name: &str, names: &[&str], parts: &[&[u8]]) -> PathBuf {
    for (number, file_name) in names.iter().enumerate() {
        let path = format!("{name}/{file_name}");
        match parts.get(number) {
            Some(content) => drop(file(&path, content)),
            None => drop(fs::remove_file(folder().join(path))),
        }
    }
    folder().join(name)
}
