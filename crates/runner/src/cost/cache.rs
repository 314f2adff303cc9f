//! Profiles in the user's cache, one file per device, model and version.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use padwise_model::{BackendChoice, BlstmConfig, Padding, TrainerConfig};
use padwise_recommend::cost::{DeviceProfile, ProfileError};
use padwise_report::files::{File, WriteError};
use thiserror::Error;

use crate::machine::cache_folder;

/// The largest profile that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// A profile that cannot be read or written.
#[derive(Debug, Error)]
pub enum CacheError {
    /// The file system failed.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The file is no profile.
    #[error("{}", path.display())]
    Profile {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: ProfileError,
    },
    /// The file is too large.
    #[error("{}: larger than any device profile; make one with `padwise bench cost`", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
}

/// The file of a profile in the cache, if there is a cache.
pub fn file_of(profile: &DeviceProfile) -> Option<PathBuf> {
    let BlstmConfig {
        inputs,
        layers,
        hidden,
        classes,
        dropout,
    } = &profile.model;
    let name = format!(
        "{} {} {layers}x{hidden} {inputs} {classes} {dropout} {} {} {}",
        profile.device,
        profile.execution,
        profile.padding.name(),
        profile.objective.name(),
        profile.version
    );
    let labels = profile
        .frames_per_label
        .map(|frames| format!(" {frames:.1}"));
    let name = name + &labels.unwrap_or_default();
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let mut name: String = name.chars().map(letter).collect();
    while name.contains("--") {
        name = name.replace("--", "-");
    }
    Some(cache_folder("cost")?.join(name + ".json"))
}

/// Writes a profile.
pub fn write(profile: &DeviceProfile, path: &Path) -> Result<(), CacheError> {
    let json = serde_json::to_string_pretty(profile).map_err(|error| CacheError::File {
        path: path.into(),
        source: error.into(),
    })?;
    let file = File {
        path: path.into(),
        content: (json + "\n").into_bytes(),
    };
    Ok(file.write()?)
}

/// Reads a profile.
pub fn read(path: &Path) -> Result<DeviceProfile, CacheError> {
    let problem = |source| CacheError::File {
        path: path.into(),
        source,
    };
    if fs::metadata(path).map_err(problem)?.len() > MOST_BYTES {
        return Err(CacheError::TooLarge { path: path.into() });
    }
    let json = fs::read(path).map_err(problem)?;
    DeviceProfile::parse(&json).map_err(|source| CacheError::Profile {
        path: path.into(),
        source,
    })
}

/// The newest profile that this version measured on this backend, for this model if one is given, else with padded batches. Files
/// that cannot be read are ignored.
pub fn newest(backend: BackendChoice, model: Option<&TrainerConfig>) -> Option<DeviceProfile> {
    let files = fs::read_dir(cache_folder("cost")?).ok()?;
    let found = files.flatten().filter_map(|file| {
        let path = file.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            return None;
        }
        let profile = read(&path).ok()?;
        let is_wanted = profile.version == env!("CARGO_PKG_VERSION")
            && profile.execution.starts_with(backend.name())
            && match model {
                Some(config) => {
                    profile.model == config.model
                        && profile.objective == config.objective
                        && profile.padding == config.padding
                }
                None => profile.padding == Padding::Padded,
            };
        let written = file.metadata().and_then(|data| data.modified());
        is_wanted.then(|| (written.unwrap_or(SystemTime::UNIX_EPOCH), path, profile))
    });
    let newest = found.max_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    newest.map(|(_, _, profile)| profile)
}
