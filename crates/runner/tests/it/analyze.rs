//! `padwise analyze`: its table, formats and numbers.

use crate::common::{padwise, rows, succeeds, write};
use serde_json::Value;

/// The field names that other programs read. Adding one is fine; renaming or removing one is not.
const CONTRACT: [&str; 16] = [
    "strategy",
    "resolved",
    "items",
    "batches",
    "zpr_percent",
    "abl",
    "pooled_padding_percent",
    "valid_frames",
    "padded_frames",
    "largest_batch_frames",
    "distinct_shapes",
    "pair_recurrence",
    "adjacent_correlation",
    "dropped",
    "duplicated",
    "plan_seconds",
];

#[test]
fn the_default_table_covers_every_family() {
    let out = succeeds(&[
        "analyze",
        "--profile",
        "ljspeech",
        "--utterances",
        "2000",
        "--seeds",
        "3",
    ]);
    insta::assert_snapshot!(out);
}

/// The table, its source and its legend fit 100 columns, and the legend explains every column.
#[test]
fn the_default_table_fits_100_columns() {
    for profile in ["ljspeech", "chime4", "librispeech"] {
        let out = succeeds(&["analyze", "--profile", profile, "--seeds", "1"]);
        for line in out.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
        for column in ["batches", "padding %", "largest", "repeat pairs", "dropped"] {
            assert!(out.contains(&format!("\n  {column} ")), "{column}: {out}");
        }
    }
    let args = [
        "analyze",
        "--profile",
        "ljspeech",
        "--seeds",
        "1",
        "--strategy",
        "random",
    ];
    let narrow = succeeds(&args);
    assert!(!narrow.contains("dropped"), "{narrow}");
    let wide = succeeds(&[&args[..], &["--wide"]].concat());
    for column in ["ZPR %", "ABL", "shapes", "autocorr.", "dropped"] {
        assert!(wide.contains(&format!("\n  {column} ")), "{column}: {wide}");
    }
}

#[test]
fn markdown_is_ready_to_paste() {
    let out = succeeds(&[
        "analyze",
        "--profile",
        "chime4",
        "--utterances",
        "500",
        "--seeds",
        "2",
        "--batch-size",
        "8",
        "--strategy",
        "random",
        "--strategy",
        "sorted,dynamic=8",
        "--format",
        "markdown",
    ]);
    insta::assert_snapshot!(out);
}

#[test]
fn json_keeps_its_contract() {
    let rows = rows(&[
        "analyze",
        "--profile",
        "librispeech",
        "--utterances",
        "1000",
        "--seeds",
        "4",
        "--strategy",
        "random",
        "--strategy",
        "bucketed:mxnet,batch=2,drop-last",
        "--format",
        "json",
    ]);
    assert_eq!(rows.len(), 2);
    for row in &rows {
        for name in CONTRACT {
            assert!(row.get(name).is_some(), "{name} is missing in {row}");
        }
    }
    assert_eq!(rows[0]["strategy"], "random");
    assert_eq!(rows[0]["resolved"], "random,batch=16");
    let names: Vec<&String> = rows[0].as_object().expect("an object").keys().collect();
    assert_eq!(names[..3], ["strategy", "resolved", "items"]);
    assert_eq!(rows[0]["items"], 1000);
    assert_eq!(rows[0]["batches"], 63);
    assert!(
        rows[0]["zpr_percent_std"]
            .as_f64()
            .is_some_and(|std| std > 0.0)
    );
    assert_eq!(rows[0]["valid_frames_std"].as_f64(), Some(0.0));
    assert!(
        rows[1]["dropped"]
            .as_f64()
            .is_some_and(|dropped| dropped > 0.0)
    );
}

#[test]
fn csv_has_the_same_columns_as_json() {
    let args = [
        "analyze",
        "--profile",
        "ljspeech",
        "--utterances",
        "100",
        "--strategy",
        "random",
        "--format",
    ];
    let csv = succeeds(&[&args[..], &["csv"]].concat());
    let header = csv.lines().next().unwrap_or_default();
    let json = rows(&[&args[..], &["json"]].concat());
    let names: Vec<&str> = json[0]
        .as_object()
        .map(|o| o.keys().map(String::as_str).collect())
        .unwrap_or_default();
    assert_eq!(header, names.join(","));
    assert_eq!(csv.lines().count(), 2);
}

#[test]
fn ranks_count_duplicated_and_dropped_items() {
    let args = [
        "analyze",
        "--profile",
        "ljspeech",
        "--utterances",
        "160",
        "--ranks",
        "4",
        "--format",
        "json",
    ];
    let kept = rows(&[&args[..], &["--strategy", "random"]].concat());
    assert_eq!(
        (kept[0]["duplicated"].as_i64(), kept[0]["dropped"].as_i64()),
        (Some(32), Some(0))
    );
    let dropped = rows(&[&args[..], &["--strategy", "random,drop-last"]].concat());
    assert_eq!(
        (
            dropped[0]["duplicated"].as_i64(),
            dropped[0]["dropped"].as_i64()
        ),
        (Some(0), Some(32))
    );
}

#[test]
fn a_plan_without_batches_has_no_padding_rate() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = write(&folder, "few.txt", "10\n20\n");
    let args = [
        "analyze",
        &list,
        "--strategy",
        "random,drop-last",
        "--format",
    ];
    let row = &rows(&[&args[..], &["json"]].concat())[0];
    assert_eq!(
        (&row["batches"], &row["items"], &row["dropped"]),
        (&0.into(), &2.into(), &2.into())
    );
    for name in ["zpr_percent", "abl", "pooled_padding_percent"] {
        assert_eq!(row[name], Value::Null, "{name}");
    }
    insta::assert_snapshot!(succeeds(&[&args[..], &["markdown"]].concat()));
}

#[test]
fn dropped_chunks_count_as_items() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = write(&folder, "list.txt", "25\n");
    let row = &rows(&[
        "analyze",
        &list,
        "--strategy",
        "random,chunk=10,min-chunk=6",
        "--format",
        "json",
    ])[0];
    assert_eq!((&row["items"], &row["dropped"]), (&3.into(), &1.into()));
}

#[test]
fn plurals_are_correct_and_names_are_trimmed() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = write(&folder, "one.txt", "7\n");
    let out = succeeds(&["analyze", &list, "--strategy", " random ", "--seeds", "1"]);
    assert!(out.contains("\n1 utterance, one.txt.\n"), "{out}");
    let row = &rows(&[
        "analyze",
        &list,
        "--strategy",
        " random\n",
        "--format",
        "json",
    ])[0];
    assert_eq!(row["strategy"], "random");
}

#[test]
fn a_default_strategy_that_cannot_be_planned_is_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = write(&folder, "distinct.txt", "10\n20\n30\n40\n");
    let assert = padwise()
        .args(["analyze", &list, "--seeds", "1"])
        .assert()
        .success();
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    insta::assert_snapshot!(stderr, @"padwise: skipped bucketed:mxnet,shuffle-batches,drop-last,pad=bucket: bucketed:mxnet found no bucket, because no length occurs at least 16 times (the batch size): use bucketed:width, count or optimal");
}

/// `padwise analyze … | head -1` ends without an error.
#[test]
fn a_closed_pipe_is_not_an_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_padwise"))
        .args([
            "analyze",
            "--profile",
            "ljspeech",
            "--utterances",
            "64",
            "--strategy",
            "random",
            "--seeds",
            "1",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("padwise starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("padwise ends");
    assert!(output.status.success());
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
