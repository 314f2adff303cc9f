//! A disk cache of compiled CUDA kernels, so only the first run on a machine waits for the compiler.
//!
//! CubeCL supports a cache, but it must be enabled before the first use of the GPU. It looks kernels up by
//! name and settings, not by source or device. Every build of a program and every kind of device therefore
//! has its own folder.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::UNIX_EPOCH;

use cubecl::config::cache::CacheConfig;
use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};

use super::device::compute_capability;

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Caches compiled kernels under `folder`.
///
/// Programs (not libraries) call this before the first use of a GPU. It is a process-wide setting, and only
/// the first call counts. There is no cache if the folder cannot be written or if the user's `cubecl.toml`
/// names another one.
pub fn keep_compiled_kernels(folder: &Path) {
    FOLDER.get_or_init(|| folder.to_owned());
}

/// Enables the cache in CubeCL, unless CubeCL is already in use.
pub(super) fn keep_where_asked() {
    let Some(folder) = FOLDER.get() else { return };
    let mut state = CubeClRuntimeConfig::storage().lock();
    if state.is_some() {
        return;
    }
    let mut config = CubeClRuntimeConfig::from_current_dir().override_from_env();
    if config.compilation.cache.is_none()
        && let Some(folder) = own_folder(folder)
    {
        tracing::debug!(folder = %folder.display(), "caching compiled kernels");
        config.compilation.cache = Some(CacheConfig::File(folder));
    }
    *state = Some(Arc::new(config));
}

/// The folder for this program and device, created if necessary.
fn own_folder(folder: &Path) -> Option<PathBuf> {
    let program = std::fs::metadata(std::env::current_exe().ok()?).ok()?;
    let built = program.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let (major, minor) = compute_capability()?;
    let folder = folder
        .join(format!("{:x}-{:x}", built.as_nanos(), program.len()))
        .join(format!("sm_{major}{minor}"));
    std::fs::create_dir_all(&folder).ok()?;
    let trial = folder.join("trial");
    std::fs::write(&trial, []).ok()?;
    std::fs::remove_file(trial).ok()?;
    Some(folder)
}
