//! The user's cache folder.

use std::path::PathBuf;

/// `$XDG_CACHE_HOME/padwise/NAME`, or `~/.cache/padwise/NAME`. None if neither variable is set.
pub fn cache_folder(name: &str) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = set("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(set("HOME")?).join(".cache")))?;
    Some(cache.join("padwise").join(name))
}
