//! Shared test helpers: settings for property tests, the shared data, and small corpora.

use std::io::Write;
use std::path::PathBuf;

use padwise_features::Matrix;
use proptest::test_runner::{Config, RngSeed};

/// Deterministic cases, and no regression files. Under Miri, which is slow, only two cases.
pub fn cases(cases: u32) -> Config {
    Config {
        cases: if cfg!(miri) { 2 } else { cases },
        rng_seed: RngSeed::Fixed(0),
        failure_persistence: None,
        ..Config::default()
    }
}

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

/// A folder of files written by other programs.
pub fn golden(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(folder)
}

/// Distinct frames that are exact in f16.
pub fn frames(rows: usize, cols: usize, seed: usize) -> Matrix {
    let number = |place: usize| ((place * 37 + seed * 101) % 251) as f32 / 4.0 - 31.0;
    Matrix::from_rows(cols, (0..rows * cols).map(number).collect())
}

/// A message without the path of the temporary folder.
pub fn message(error: impl std::fmt::Display, folder: &std::path::Path) -> String {
    let folder = folder.display().to_string();
    let inside = format!("{folder}/");
    error.to_string().replace(&inside, "").replace(&folder, ".")
}
