//! What several tests need: settings for property tests, the shared data, and small corpora.

use std::io::Write;
use std::path::PathBuf;

use padwise_features::Matrix;
use proptest::test_runner::{Config, RngSeed};

/// The same cases every time, and no files of failed ones.
pub fn cases(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(0),
        failure_persistence: None,
        ..Config::default()
    }
}

/// A file or folder of the shared data; none, said aloud, where it is not at hand.
pub fn shared_data(test: &str, path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("PADWISE_DATA")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    let path = folder.join(path);
    if path.exists() {
        return Some(path);
    }
    // Written straight to the stream: what the print macros write, the test harness keeps to itself.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED {test}: no {} (set PADWISE_DATA)",
        path.display()
    );
    None
}

/// A folder of files made by other programs.
pub fn golden(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(folder)
}

/// Some frames that differ from one another and survive f16.
pub fn frames(rows: usize, cols: usize, seed: usize) -> Matrix {
    let number = |place: usize| ((place * 37 + seed * 101) % 251) as f32 / 4.0 - 31.0;
    Matrix::from_rows(cols, (0..rows * cols).map(number).collect())
}

/// A message without the folder it happened in.
pub fn message(error: impl std::fmt::Display, folder: &std::path::Path) -> String {
    let folder = folder.display().to_string();
    let inside = format!("{folder}/");
    error.to_string().replace(&inside, "").replace(&folder, ".")
}
