//! The seeds: small inputs, mostly valid, from which mutations start.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Target;

/// The folder with one folder of seeds for each target.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds")
}

/// The seeds of a target with their names, sorted by name.
pub fn of(target: &Target) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut seeds = Vec::new();
    for entry in fs::read_dir(folder().join(target.name))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        seeds.push((name, fs::read(entry.path())?));
    }
    seeds.sort();
    Ok(seeds)
}
