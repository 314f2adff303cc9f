//! Compiled CUDA kernels kept on disk, so that only the first run on a machine waits for the compiler.
//!
//! CubeCL can do this but does not unless told to before its first use, and it finds a kernel again by its name and settings, neither
//! by its source nor by the device it is for. So every build of a program has a folder of its own, and in it every kind of device.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::UNIX_EPOCH;

use cubecl::config::cache::CacheConfig;
use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};

use super::device::compute_capability;

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Asks that compiled kernels be kept under `folder`. To be called before the first use of a GPU, by programs rather than
/// libraries: it is a setting of the process, and only the first call counts. Nothing is kept where the folder cannot be written
/// or where the user's own `cubecl.toml` names another.
pub fn keep_compiled_kernels(folder: &Path) {
    FOLDER.get_or_init(|| folder.to_owned());
}

/// Tells CubeCL, unless it has been used already.
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
        tracing::debug!(folder = %folder.display(), "compiled kernels are kept");
        config.compilation.cache = Some(CacheConfig::File(folder));
    }
    *state = Some(Arc::new(config));
}

/// The folder for this very program and device, made if need be.
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
