//! Compiled CUDA kernels kept on disk, so that only the first run on a machine waits for the compiler.
//!
//! CubeCL can do this but does not unless told to before its first use, and it finds a kernel again by its name and settings, not
//! by its source. A program that was built anew may hold other source under the same name, so every build has a folder of
//! its own.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::UNIX_EPOCH;

use cubecl::config::cache::CacheConfig;
use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};

/// Keeps compiled kernels under `folder` from now on. To be called before the first use of a GPU, by programs rather than
/// libraries: it is a setting of the process. Does nothing where the folder cannot be written, where the user's own
/// `cubecl.toml` names another, and when called again.
pub fn keep_compiled_kernels(folder: &Path) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut config = CubeClRuntimeConfig::from_current_dir().override_from_env();
        if config.compilation.cache.is_some() {
            return;
        }
        match folder_of_this_build(folder) {
            Some(folder) => {
                tracing::debug!(folder = %folder.display(), "compiled kernels are kept");
                config.compilation.cache = Some(CacheConfig::File(folder));
                CubeClRuntimeConfig::set(config);
            }
            None => {
                tracing::debug!(folder = %folder.display(), "compiled kernels are not kept: no folder to write to");
            }
        }
    });
}

/// The folder for this very program, made if need be.
fn folder_of_this_build(folder: &Path) -> Option<PathBuf> {
    let program = std::fs::metadata(std::env::current_exe().ok()?).ok()?;
    let built = program.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let folder = folder.join(format!("{:x}-{:x}", built.as_nanos(), program.len()));
    std::fs::create_dir_all(&folder).ok()?;
    let trial = folder.join("trial");
    std::fs::write(&trial, []).ok()?;
    std::fs::remove_file(trial).ok()?;
    Some(folder)
}
