//! The results folders next to `fixtures/make.py`, and modified copies of them.

use std::fs;
use std::path::{Path, PathBuf};

use padwise_report::findings::Findings;
use padwise_report::record::Recorded;

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

pub fn findings(name: &str) -> Findings {
    Findings::of(Recorded::open(&fixture(name)).expect("a record"))
}

/// Copies a results folder and changes one of its files.
pub fn changed(name: &str, file: &str, change: impl Fn(String) -> String) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(fixture(name)).expect("a record").flatten() {
        let to = copy.path().join(entry.file_name());
        fs::copy(entry.path(), to).expect("writable");
    }
    let path = copy.path().join(file);
    let text = fs::read_to_string(&path).expect("text");
    fs::write(&path, change(text)).expect("writable");
    copy
}

/// A record whose runs with the third seed have not begun.
pub fn without_the_third_seed() -> tempfile::TempDir {
    changed("table2", "epochs.csv", |text| {
        let is_third = |line: &str| line.split(',').nth(1) == Some("3");
        let lines = text.lines().filter(|line| !is_third(line));
        lines.collect::<Vec<_>>().join("\n") + "\n"
    })
}

/// Opens a changed copy.
pub fn opened(folder: &tempfile::TempDir) -> Findings {
    Findings::of(Recorded::open(folder.path()).expect("a record"))
}

/// Changes one more file of a copy.
pub fn rewrite(folder: &tempfile::TempDir, file: &str, change: impl Fn(String) -> String) {
    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).expect("text");
    fs::write(&path, change(text)).expect("writable");
}

/// Replaces values of one column of a table without quoted fields. `value` gets the strategy and the seed; none keeps the old value.
pub fn with_column(
    text: &str,
    column: &str,
    value: impl Fn(&str, u64) -> Option<String>,
) -> String {
    let (header, lines) = text.split_once('\n').expect("a header");
    let at = header.split(',').position(|name| name == column);
    let at = at.expect("a column");
    let lines = lines.lines().map(|line| {
        let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        let seed = fields[1].parse().expect("a seed");
        if let Some(value) = value(&fields[0], seed) {
            fields[at] = value;
        }
        fields.join(",") + "\n"
    });
    format!("{header}\n{}", lines.collect::<String>())
}
