//! `padwise report` and `padwise compare`: files, messages and exit codes, with the fixtures of `padwise-report`.

use std::path::Path;

use crate::common::{fails_with_usage, in_folder, padwise, succeeds, write};

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/fixtures");
    folder.join(name).display().to_string()
}

#[test]
fn a_report_is_written_and_then_current() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = in_folder(&folder, "report");
    let record = fixture("table2");
    padwise()
        .args(["report", &record, "--out", &out, "--check"])
        .assert()
        .code(1);
    assert!(!Path::new(&out).exists(), "--check writes nothing");
    let written = succeeds(&["report", &record, "--out", &out]);
    assert!(written.lines().count() > 16);
    for path in written.lines() {
        assert!(Path::new(path).is_file(), "{path}");
    }
    padwise()
        .args(["report", &record, "--out", &out, "--check"])
        .assert()
        .code(0);
    std::fs::write(Path::new(&out).join("report.md"), "older").expect("writable");
    let assert = padwise()
        .args(["report", &record, "--out", &out, "--check"])
        .assert()
        .code(1);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains("report.md is out of date"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn all_records_below_a_folder_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = in_folder(&folder, "reports");
    let records = fixture("");
    let all = ["report", "--all", &records, "--out", &out];
    let check = [&all[..], &["--check"]].concat();
    succeeds(&check);
    assert!(!Path::new(&out).exists(), "--check writes nothing");
    let written = succeeds(&all);
    for name in [
        "buckets",
        "one-seed",
        "overfitted",
        "slower",
        "table2",
        "troubled",
    ] {
        let page = Path::new(&out).join(name).join("report.html");
        let page = page.display().to_string();
        assert!(written.lines().any(|line| line == page), "{page}");
    }
    // Missing files are fine; existing files must be up to date.
    std::fs::remove_file(Path::new(&out).join("buckets/report.md")).expect("written");
    succeeds(&check);
    std::fs::write(Path::new(&out).join("slower/table.md"), "older").expect("writable");
    let assert = padwise().args(&check).assert().code(1);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains("slower/table.md is out of date"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    let empty = in_folder(&folder, "");
    assert!(fails_with_usage(&["report", "--all", &empty]).contains("no run found below"));
    assert!(fails_with_usage(&["report", "--all", "no-such-folder"]).contains("cannot read"));
    fails_with_usage(&["report", "--all", &records, &fixture("table2")]);
}

#[test]
fn the_content_of_a_block_can_be_printed() {
    let record = fixture("table2");
    let shown = succeeds(&["report", "--show", &format!("{record} speed")]);
    assert!(shown.starts_with("| strategy"), "{shown}");
    let value = format!("{record} value sorted utterances_per_second 0");
    assert_eq!(succeeds(&["report", "--show", &value]).lines().count(), 1);
    let said = fails_with_usage(&["report", "--show", &format!("{record} sped")]);
    assert!(said.contains("use one of papers"), "{said}");
}

#[test]
fn errors_of_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = in_folder(&folder, "");
    assert!(fails_with_usage(&["report", &empty]).contains("is not a results folder"));
    let (one, two) = (fixture("table2"), fixture("buckets"));
    assert!(fails_with_usage(&["report", &one, &two]).contains("--out DIR"));
    assert!(fails_with_usage(&["report"]).contains("required"));
    let file = write(&folder, "file", "in the way");
    let assert = padwise()
        .args(["report", &one, "--out", &file])
        .assert()
        .code(3);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains("cannot write"), "{said}");
}

#[test]
fn documents_are_filled_and_then_current() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("table2");
    std::fs::create_dir(&record).expect("writable");
    for name in ["config.toml", "epochs.csv", "environment.json"] {
        let from = Path::new(&fixture("table2")).join(name);
        std::fs::copy(from, record.join(name)).expect("a record");
    }
    // Sources are relative to the current folder, and documents may use only their own project.
    let splice = |arguments: &[&str], code: i32| {
        let mut command = padwise();
        let command = command.current_dir(folder.path()).arg("report");
        let assert = command.arg("--splice").args(arguments).assert().code(code);
        String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
    };
    let text = "# Results\n\n<!-- from table2 speed -->\n<!-- end -->\n\n64 bins: <!-- from table2 value \"proposed (64 bins)\" speed_against_baseline 2 -->9<!-- end --> times as fast\n";
    let document = write(&folder, "README.md", text);
    let said = splice(&[&document, "--check"], 1);
    assert!(
        said.contains("README.md:3:") && said.contains("README.md:6:"),
        "{said}"
    );
    splice(&[&document], 0);
    let filled = std::fs::read_to_string(&document).expect("text");
    assert!(filled.contains("| proposed (64 bins)"), "{filled}");
    assert!(
        filled.contains("-->1.38<!-- end --> times as fast"),
        "{filled}"
    );
    splice(&[&document, "--check"], 0);
    let plain = write(&folder, "plain.md", "nothing to fill\n");
    assert!(splice(&[&plain], 2).contains("has no block to fill"));
    splice(&[&plain, &document], 0);
    let refused = |source: &str| {
        let text = format!("<!-- from {source} -->\n<!-- end -->\n");
        splice(&[&write(&folder, "wrong.md", &text)], 2)
    };
    assert!(refused("table2 sped").contains("use one of papers, speed"));
    let outside = fixture("table2") + " speed";
    assert!(refused(&outside).contains("is an absolute path"));
    assert!(refused("../table2 speed").contains("leaves the project"));
}

#[test]
fn two_records_are_compared() {
    let (table2, slower) = (fixture("table2"), fixture("slower"));
    succeeds(&["compare", &table2, &table2]);
    succeeds(&["compare", &slower, &table2]);
    let assert = padwise()
        .args(["compare", &table2, &slower])
        .assert()
        .code(1);
    let said = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(
        said.contains("WORSE") && said.contains("NVIDIA A100"),
        "{said}"
    );
    assert!(
        said.contains("Only in the second: alternated, 256 bins"),
        "{said}"
    );
    succeeds(&["compare", &table2, &slower, "--tolerance", "0.5"]);
    let json = succeeds(&["compare", &slower, &table2, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["compared"].as_array().map(Vec::len), Some(25));
    for tolerance in ["-1", "NaN", "five"] {
        fails_with_usage(&[
            "compare",
            &table2,
            &slower,
            &format!("--tolerance={tolerance}"),
        ]);
    }
    assert!(
        fails_with_usage(&["compare", &table2, &fixture("buckets")]).contains("nothing to compare")
    );
    assert!(
        fails_with_usage(&["compare", &table2, "no-such-folder"])
            .contains("is not a results folder")
    );
}

/// A strategy may be much faster, and its error merely uncertain. The reader should know.
#[test]
fn a_much_faster_strategy_with_an_unclear_error_is_named() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/doetsch-table1-words");
    let source = format!("{} answers", results.display());
    let said = succeeds(&["report", "--show", &source]);
    let first = said.lines().next().unwrap_or_default();
    for part in [
        "Keep max: ",
        "chunk 100, trains 2.",
        "points higher, not significantly (95 % CI ",
        "detectable: ",
        "More seeds would show whether it is worse",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
}
