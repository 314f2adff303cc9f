//! Shared test helpers: settings for property tests, the shared data, and small corpora.

#[path = "../../../decoder/tests/it/shared_data.rs"]
mod shared_data;

use std::path::PathBuf;

use padwise_features::Matrix;
use proptest::test_runner::{Config, RngSeed};

pub use shared_data::shared_data;

/// Deterministic cases, and no regression files. Under Miri, which is slow, only two cases.
pub fn cases(cases: u32) -> Config {
    Config {
        cases: if cfg!(miri) { 2 } else { cases },
        rng_seed: RngSeed::Fixed(0),
        failure_persistence: None,
        ..Config::default()
    }
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
