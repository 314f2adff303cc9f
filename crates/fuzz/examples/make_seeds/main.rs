//! Writes the seeds of all fuzz targets: `cargo run -p padwise-fuzz --example make_seeds`.
//!
//! Most are valid files, made with padwise's own writers or copied from the fixtures of other tests. Some are damaged in
//! ways that readers once accepted.

mod audio;
mod corpora;
mod decoder;
mod records;
mod text;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use padwise_fuzz::{Target, seeds};

/// The result of making seeds.
pub(crate) type Made = Result<(), Box<dyn Error>>;

/// Writes seeds.
pub(crate) struct Seeds {
    /// Folder for temporary files.
    pub scratch: tempfile::TempDir,
}

impl Seeds {
    /// Writes a seed of a target.
    pub fn add(&self, target: &str, name: &str, content: impl AsRef<[u8]>) -> Made {
        if Target::named(target).is_none() {
            return Err(format!("there is no target {target}").into());
        }
        let folder = seeds::folder().join(target);
        fs::create_dir_all(&folder)?;
        Ok(fs::write(folder.join(name), content)?)
    }

    /// Reads a file of the repository.
    pub fn file(&self, path: &str) -> Result<Vec<u8>, Box<dyn Error>> {
        let path = repository().join(path);
        fs::read(&path).map_err(|error| format!("{}: {error}", path.display()).into())
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn main() -> Made {
    let scratch = tempfile::tempdir()?;
    let seeds = Seeds { scratch };
    text::make(&seeds)?;
    corpora::make(&seeds)?;
    decoder::make(&seeds)?;
    audio::make(&seeds)
}
