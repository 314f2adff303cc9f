//! What is recorded under `results/`, and what README.md shows of it, is what the program prints today.

mod common;

use std::path::{Path, PathBuf};

use common::succeeds;

const REMEDY: &str = "run scripts/record_length_statistics.sh";

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(top().join(path)).unwrap_or_else(|e| panic!("{path}: {e}; {REMEDY}"))
}

#[test]
fn recorded_statistics_are_current() {
    for profile in ["ljspeech", "chime4", "librispeech"] {
        let printed = succeeds(&["analyze", "--profile", profile, "--format", "markdown"]);
        let recorded = read(&format!("results/length-statistics/{profile}.md"));
        assert_eq!(
            printed, recorded,
            "results/length-statistics/{profile}.md is stale: {REMEDY}"
        );
    }
}

#[test]
fn documents_show_what_was_recorded() {
    for document in [
        "README.md",
        "docs/experiments.md",
        "docs/synthetic-corpus.md",
        "docs/performance.md",
    ] {
        let text = read(document);
        let mut blocks = 0;
        for block in text.split("<!-- from ").skip(1) {
            let (file, rest) = block.split_once(" -->\n").expect("a marked block");
            let (shown, _) = rest
                .split_once("<!-- end -->")
                .expect("the end of the block");
            let remedy = format!("run scripts/splice.py {document}");
            assert_eq!(
                shown,
                read(file),
                "{document}'s block from {file} is stale: {remedy}"
            );
            blocks += 1;
        }
        assert!(blocks > 0, "{document} shows no results");
    }
}

#[test]
fn recorded_figures_are_current() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    for drawn in succeeds(&["figure", "all", "--out", &out]).lines() {
        let name = drawn.rsplit(['/', '\\']).next().unwrap_or_default();
        if name.ends_with(".svg") {
            let now = std::fs::read_to_string(drawn).expect("just drawn");
            let recorded = read(&format!("results/figures/{name}"));
            assert!(now == recorded, "results/figures/{name} is stale: {REMEDY}");
        }
    }
}
