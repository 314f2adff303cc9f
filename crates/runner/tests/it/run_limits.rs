//! `padwise run` with too little memory: error messages, recorded results, and memory per run.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use crate::common::{TINY, epochs, in_folder, succeeds, write};

/// Two strategies; the first needs far more memory than the second.
fn large_and_small() -> String {
    let rows = "[[strategy]]\nname = \"large\"\nline = \"sorted,batch=64\"\n[[strategy]]\nname = \"small\"\nline = \"sorted,chunk=60,frames=240\"\n";
    let head = TINY.split("[[strategy]]").next().unwrap_or_default();
    format!("{head}{rows}")
}

/// Like [`large_and_small`], with more classes and utterances: the large one needs 0.64 GB.
fn very_large_and_small() -> String {
    large_and_small()
        .replace("utterances = 6\n", "utterances = 64\n")
        .replace("classes = 123\n", "classes = 2000\n")
        .replace("epochs = 3\n", "epochs = 1\n")
        .replace("seeds = [1, 2]\n", "seeds = [1]\n")
}

/// Runs the command with at most 0.24 GB of memory; returns its exit code and standard error. Half the large batch needs far more, a
/// quarter of it far less.
fn with_little_memory(arguments: &[&str]) -> (Option<i32>, String) {
    let run = Command::new("sh")
        .arg("-c")
        .arg("ulimit -v 240000; exec \"$@\"")
        .arg("sh")
        .arg(assert_cmd::cargo::cargo_bin("padwise"))
        .args(arguments)
        // Otherwise every thread reserves its own arena, which counts towards the limit.
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    (run.status.code(), said)
}

/// Every run is a separate process, so the memory of a large run does not count for a small one after it.
#[test]
fn memory_is_measured_per_run() {
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
    // The estimate, and the memory of a step.
    assert!(
        rows.iter().all(|row| row.matches(" MB").count() == 2),
        "{printed}"
    );
}

#[test]
fn a_check_reports_which_batch_does_not_fit_and_which_would() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", &very_large_and_small());
    let (code, said) = with_little_memory(&["run", &file, "--check"]);
    assert_eq!(code, Some(1), "{said}");
    let said = said.trim_end();
    assert!(
        said.starts_with("padwise: large: a batch of 64 items padded to 775 frames (s00"),
        "{said}"
    );
    assert!(said.contains("memory allocation of"), "{said}");
    assert!(!said.contains("small"), "{said}");
    // The suggested batch size fits.
    let (_, rest) = said.rsplit_once("; ").expect("a remedy");
    assert!(
        rest.ends_with("in this strategy's line fits (measured)"),
        "{said}"
    );
    let (batch, _) = rest.split_once(' ').expect("a setting");
    let set = format!("strategy.0.line=sorted,{batch}");
    let (code, said) = with_little_memory(&["run", &file, "--check", "--set", &set]);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn a_failed_run_does_not_affect_the_others_and_can_be_retried() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", &very_large_and_small());
    let out = in_folder(&folder, "results");
    let (code, said) = with_little_memory(&["run", &file, "--out", &out]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("1 run failed"), "{said}");
    assert!(
        said.contains("it failed on its largest batch: a batch of 64 items"),
        "{said}"
    );
    let status = || -> Vec<(String, String)> {
        let rows = epochs(Path::new(&out)).into_iter();
        rows.map(|row| (row["strategy"].clone(), row["status"].clone()))
            .collect()
    };
    let row = |strategy: &str, status: &str| (strategy.to_owned(), status.to_owned());
    assert_eq!(status(), [row("large", "failed"), row("small", "trained")]);
    succeeds(&["run", &file, "--out", &out, "--resume"]);
    assert_eq!(status().last(), Some(&row("large", "trained")));
}
