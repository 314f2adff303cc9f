//! The on-disk cache of compiled GPU kernels. Every run is a separate process and would otherwise compile them again.

/// Caches compiled kernels in the user's cache folder, if there is one.
pub fn enable() {
    #[cfg(feature = "cuda")]
    if let Some(folder) = folder() {
        padwise_model::backend::keep_compiled_kernels(&folder);
    }
}

/// `$XDG_CACHE_HOME/padwise/kernels`, or `~/.cache/padwise/kernels`.
#[cfg(feature = "cuda")]
fn folder() -> Option<std::path::PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = set("XDG_CACHE_HOME")
        .map(std::path::PathBuf::from)
        .or_else(|| Some(std::path::PathBuf::from(set("HOME")?).join(".cache")))?;
    Some(cache.join("padwise").join("kernels"))
}
