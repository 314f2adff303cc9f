//! The files under `results/` and the documents that quote them match the program's current output.

use std::path::{Path, PathBuf};

use padwise_report::report::{records_below, report};
use padwise_report::splice::{SpliceError, splice};

use crate::common::succeeds;

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
            "results/length-statistics/{profile}.md is out of date: {REMEDY}"
        );
    }
}

#[test]
fn recorded_overheads_are_current() {
    for name in ["cpu", "h200"] {
        let recorded = format!("results/epoch-overhead/{name}");
        let record = top().join(format!("{recorded}.jsonl"));
        let record = record.to_str().expect("a path in UTF-8");
        let printed = succeeds(&[
            "bench",
            "epoch",
            "--recorded",
            record,
            "--format",
            "markdown",
        ]);
        assert_eq!(
            printed,
            read(&format!("{recorded}.md")),
            "{recorded}.md is out of date"
        );
    }
}

/// Checks every document that has spliced blocks.
#[test]
fn documents_show_what_was_recorded() {
    let mut filled = 0;
    for document in documents() {
        match splice(&document, &top()) {
            Ok(spliced) => {
                let remedy = "run padwise report --splice on it";
                let name = document.display();
                assert!(
                    spliced.stale.is_empty(),
                    "{name} is out of date at {:?}: {remedy}",
                    spliced.stale
                );
                filled += 1;
            }
            Err(SpliceError::NoBlocks { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert!(filled >= 3, "README.md and two pages of docs/ show results");
}

/// README.md and the Markdown files of docs/ and results/, except generated reports.
fn documents() -> Vec<PathBuf> {
    let mut documents = vec![top().join("README.md")];
    for folder in ["docs", "results"] {
        markdown_below(&top().join(folder), &mut documents);
    }
    documents.retain(|path| !path.ends_with("report.md"));
    documents
}

fn markdown_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder of the project");
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            markdown_below(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "md") {
            found.push(path);
        }
    }
}

/// Every record gives a report, and its committed files are up to date.
#[test]
fn every_record_makes_its_report() {
    let records = records_below(&top().join("results")).expect("results");
    assert!(records.len() >= 17, "{records:?}");
    let mut shown = Vec::new();
    for record in records {
        let files = report(std::slice::from_ref(&record), &record)
            .unwrap_or_else(|error| panic!("{}: {error}", record.display()));
        for file in files.into_iter().filter(|file| file.path.exists()) {
            let path = file.path.display();
            assert!(
                !file.is_stale(),
                "{path} is out of date: run padwise report {}",
                record.display()
            );
            shown.push(file.path);
        }
    }
    for name in [
        "doetsch-table2-librispeech/report.html",
        "ge-table2-librispeech/plots/loss-by-epoch.svg",
        "khomenko-buckets-h200/plots/loss-by-time.svg",
        "khomenko-buckets-h200/plots/time-by-buckets.svg",
        "khomenko-workers-librispeech/plots/workers-by-time.svg",
        "study/plots/time-against-error.svg",
    ] {
        let path = top().join("results").join(name);
        assert!(shown.contains(&path), "{name} is not there");
    }
}

/// Links lead to existing files. A PNG has an SVG next to it, which other tests compare.
#[test]
fn links_lead_to_files() {
    for document in documents() {
        let text = std::fs::read_to_string(&document).expect("a document");
        let text = outside_of(&text, "```", "```");
        for link in text.split("](").skip(1) {
            let link = link.split([')', '#']).next().unwrap_or_default();
            if link.is_empty() || link.contains("://") || link.contains('`') {
                continue;
            }
            let path = document.with_file_name("").join(link);
            let mut paths = vec![path.clone()];
            if path.extension().is_some_and(|kind| kind == "png") {
                paths.push(path.with_extension("svg"));
            }
            for path in paths {
                assert!(path.exists(), "{}: {link}", document.display());
            }
        }
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
            assert!(
                now == recorded,
                "results/figures/{name} is out of date: {REMEDY}"
            );
        }
    }
}

/// Measured numbers come from records: documents about results have no decimals and no percentages outside spliced blocks.
#[test]
fn no_measured_figure_is_typed() {
    // Not measurements: a Rust version, a licence and a confidence level.
    const NOT_MEASURED: [&str; 3] = ["Rust 1.92", "Apache-2.0", "95 % confidence"];
    let mut documents = Vec::new();
    markdown_below(&top().join("results"), &mut documents);
    documents.retain(|path| path.file_name().is_some_and(|name| name == "README.md"));
    documents.extend([top().join("README.md"), top().join("docs/findings.md")]);
    for document in documents {
        let text = std::fs::read_to_string(&document).expect("a document");
        let mut typed = outside_of(&text, "```", "```");
        typed = outside_of(&typed, "<!-- from ", "<!-- end -->");
        typed = outside_of(&typed, "`", "`");
        // Link targets.
        typed = outside_of(&typed, "](", ")");
        for allowed in NOT_MEASURED {
            typed = typed.replace(allowed, "");
        }
        for line in typed.lines() {
            let letters: Vec<char> = line.chars().collect();
            let is_figure = |at: &[char]| match at {
                [before, '.', after] => before.is_ascii_digit() && after.is_ascii_digit(),
                [before, ' ' | '\u{a0}', '%'] | [_, before, '%'] => before.is_ascii_digit(),
                _ => false,
            };
            assert!(
                !letters.windows(3).any(is_figure),
                "{}: measured number outside a spliced block: \"{line}\"; use a block, see docs/reports.md",
                document.display()
            );
        }
    }
}

/// Removes the text between two markers, markers included.
fn outside_of(text: &str, begin: &str, end: &str) -> String {
    let mut outside = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(begin) {
        outside.push_str(before);
        let (_, after) = after
            .split_once(end)
            .unwrap_or_else(|| panic!("a {begin} has no {end}"));
        rest = after;
    }
    outside + rest
}
