//! `padwise run` where there is too little memory or disk: what it says, what it saves, and what each run is charged with.
#![cfg(target_os = "linux")]

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::{TINY, epochs, in_folder, padwise, succeeds, write};

/// Two strategies of which one needs a hundred times the memory of the other.
fn large_and_small() -> String {
    let rows = "[[strategy]]\nname = \"large\"\nline = \"sorted,batch=64\"\n[[strategy]]\nname = \"small\"\nline = \"sorted,chunk=60,frames=240\"\n";
    let head = TINY.split("[[strategy]]").next().unwrap_or_default();
    format!("{head}{rows}")
}

/// The command in a process that may have no more than this many megabytes.
fn with_memory(megabytes: u64, arguments: &[&str]) -> Output {
    Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {}; exec \"$@\"", megabytes * 1000))
        .arg("sh")
        .arg(assert_cmd::cargo::cargo_bin("padwise"))
        .args(arguments)
        // Every thread of the allocator's takes its own piece of what there is.
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .expect("a shell")
}

/// Every run is a process of its own, so what a large one took is not in the figures of a small one after it.
#[test]
fn memory_is_a_runs_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", &large_and_small());
    let out = in_folder(&folder, "results");
    let sets = [
        "train.epochs=1",
        "train.seeds=[1]",
        "model.hidden=32",
        "measure.validation-batch=1",
    ];
    let mut arguments = vec!["run", &file, "--out", &out];
    for set in &sets {
        arguments.extend(["--set", set]);
    }
    succeeds(&arguments);
    let rows = epochs(Path::new(&out));
    let memory = |row: usize| {
        let bytes = |key: &str| rows[row][key].parse::<f64>().expect("bytes");
        bytes("host_peak_bytes") - bytes("host_base_bytes")
    };
    assert_eq!(rows[0]["strategy"], "large");
    assert!(
        memory(1) < memory(0) / 2.0,
        "{} after {}",
        memory(1),
        memory(0)
    );
}

#[test]
fn a_check_tries_the_largest_batches() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let printed = succeeds(&["run", &file, "--check"]);
    let rows: Vec<&str> = printed
        .lines()
        .filter(|line| line.contains("random") || line.contains("sorted"))
        .collect();
    assert_eq!(rows.len(), 2, "{printed}");
    // The estimate, and what a step took.
    assert!(
        rows.iter().all(|row| row.matches(" GB").count() == 2),
        "{printed}"
    );
}
