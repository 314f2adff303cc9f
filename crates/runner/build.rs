//! Tells the program which commit it was built from, so that a record made on another machine names it too.

use std::process::Command;

/// What the program is made of, from this package's folder.
const SOURCES: [&str; 3] = ["..", "../../Cargo.toml", "../../Cargo.lock"];

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

fn main() {
    for source in ["../../Cargo.lock", "src", "build.rs"] {
        println!("cargo::rerun-if-changed={source}");
    }
    // Every commit and every checkout adds a line to it.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    let Some(head) = git(&["rev-parse", "HEAD"]) else {
        // Built from an archive: nothing is known.
        return;
    };
    let status = ["status", "--porcelain", "--untracked-files=no", "--"];
    let changed = git(&[&status[..], &SOURCES].concat()).is_some_and(|changes| !changes.is_empty());
    let mark = if changed { "+" } else { "" };
    println!("cargo::rustc-env=PADWISE_COMMIT={head}{mark}");
}
