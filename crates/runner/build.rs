//! Passes the commit to the program as `PADWISE_COMMIT`, so a results folder records which version made it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The sources of the program, relative to this package. Tests are left out: a change to a test needs no rebuild.
fn sources() -> Vec<PathBuf> {
    let packages = fs::read_dir("..").into_iter().flatten().flatten();
    let parts = packages.flat_map(|package| {
        let parts = ["Cargo.toml", "build.rs", "src", "kernels", "templates"];
        parts.map(|part| package.path().join(part))
    });
    let whole = ["../../Cargo.toml", "../../Cargo.lock"].map(PathBuf::from);
    parts.chain(whole).filter(|path| path.exists()).collect()
}

fn git(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

fn main() {
    let sources = sources();
    for source in &sources {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    // Every commit and every checkout appends to this log.
    if let Some(log) = git(Command::new("git").args(["rev-parse", "--git-path", "logs/HEAD"])) {
        println!("cargo::rerun-if-changed={log}");
    }
    let Some(head) = git(Command::new("git").args(["rev-parse", "HEAD"])) else {
        // Built from an archive, without git: the commit is unknown.
        return;
    };
    let mut status = Command::new("git");
    status.args(["status", "--porcelain", "--untracked-files=no", "--"]);
    let changed = git(status.args(&sources)).is_some_and(|changes| !changes.is_empty());
    let mark = if changed { "+" } else { "" };
    println!("cargo::rustc-env=PADWISE_COMMIT={head}{mark}");
}
