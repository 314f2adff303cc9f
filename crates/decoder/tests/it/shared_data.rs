//! Finds large files that tests of several crates use. They are not in the repository.

use std::io::Write;
use std::path::PathBuf;

/// A file or folder of the shared data; `None`, with a message, if it is missing.
pub fn shared_data(test: &str, path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("PADWISE_DATA")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    let path = folder.join(path);
    if path.exists() {
        return Some(path);
    }
    // Written directly to stderr, because the test harness captures the print macros.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED {test}: no {} (set PADWISE_DATA)",
        path.display()
    );
    None
}
