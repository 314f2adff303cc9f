//! Running `padwise` and reading what it says.
#![allow(
    dead_code,
    missing_docs,
    reason = "each test file uses its own part of this"
)]

use assert_cmd::Command;

pub fn padwise() -> Command {
    Command::cargo_bin("padwise").expect("the binary is built with the tests")
}

/// What a successful run prints.
pub fn succeeds(args: &[&str]) -> String {
    let assert = padwise().args(args).assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).expect("text")
}

/// What a run says that ends with exit code 2.
pub fn fails_with_usage(args: &[&str]) -> String {
    let assert = padwise().args(args).assert().code(2);
    let output = assert.get_output();
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// A file of this content; gives its path.
pub fn write(folder: &tempfile::TempDir, name: &str, content: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a writable folder");
    path.display().to_string()
}
