//! `padwise analyze` as its users meet it: the table, the formats, and what it says of bad input.

mod common;

use common::{fails_with_usage, padwise, succeeds, write};
use serde_json::Value;

/// The names that other programs read. Adding one is fine; changing or losing one is not.
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

fn rows(args: &[&str]) -> Vec<Value> {
    let out = succeeds(args);
    match serde_json::from_str(&out) {
        Ok(Value::Array(rows)) => rows,
        other => panic!("not an array: {other:?}"),
    }
}

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
fn ranks_count_what_is_repeated_or_left_out() {
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
fn lengths_come_from_csv_lists_and_standard_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = write(
        &folder,
        "lengths.csv",
        "id,frames,split\na,10,train\nb,20,train\nc,30,valid\n",
    );
    let list = write(&folder, "lengths.txt", "10\n20\n\n30\n");
    let seconds = write(&folder, "seconds.csv", "set,seconds\nx,0.1\nx,0.25\n");
    let items = |args: &[&str]| {
        rows(
            &[
                &["analyze", "--format", "json", "--strategy", "random"],
                args,
            ]
            .concat(),
        )[0]
        .clone()
    };
    assert_eq!(items(&[&csv])["valid_frames"], 60);
    assert_eq!(items(&[&csv, "--where", "split=train"])["valid_frames"], 30);
    assert_eq!(items(&[&list])["valid_frames"], 60);
    assert_eq!(
        items(&[&seconds, "--column", "seconds", "--hop", "10"])["valid_frames"],
        37
    );
    for (name, list) in [
        ("quoted", "\"10\"\n\"20\"\n\"30\"\n"),
        ("cr", "10\r20\r30\r"),
        ("crlf", "10\r\n20\r\n\r\n30"),
    ] {
        let list = write(&folder, name, list);
        assert_eq!(items(&[&list])["valid_frames"], 60, "{name}");
    }
    let header = write(&folder, "header.csv", "2nd\n10\n20\n");
    assert_eq!(items(&[&header, "--column", "2nd"])["valid_frames"], 30);
    // 0.29 s are 29 hops of 10 ms, whatever the division says.
    let seconds = write(&folder, "exact.csv", "set,seconds\nx,0.29\n");
    assert_eq!(
        items(&[&seconds, "--column", "seconds", "--hop", "10"])["valid_frames"],
        30
    );
    padwise()
        .args(["analyze", "-", "--strategy", "random", "--format", "csv"])
        .write_stdin("5\n6\n")
        .assert()
        .success();
}

#[test]
fn columns_that_are_not_used_need_not_be_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("latin1.csv");
    std::fs::write(&path, b"name,frames\nJos\xe9,10\nAnna,20\n").expect("a writable folder");
    let file = path.display().to_string();
    let row = &rows(&["analyze", &file, "--strategy", "random", "--format", "json"])[0];
    assert_eq!(row["valid_frames"], 30);
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
fn chunks_too_short_to_keep_are_items_too() {
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
fn one_utterance_is_one_and_names_are_trimmed() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = write(&folder, "one.txt", "7\n");
    let out = succeeds(&["analyze", &list, "--strategy", " random ", "--seeds", "1"]);
    assert!(out.contains("\n1 utterance, one.txt;"), "{out}");
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
fn a_default_strategy_that_does_not_suit_the_corpus_is_left_out_and_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = write(&folder, "distinct.txt", "10\n20\n30\n40\n");
    let assert = padwise()
        .args(["analyze", &list, "--seeds", "1"])
        .assert()
        .success();
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    insta::assert_snapshot!(stderr, @"padwise: left out bucketed:mxnet,shuffle-batches,drop-last,pad=bucket: bucketed:mxnet makes a bucket of every length that occurs at least 16 times, and none does: use bucketed:width, count or optimal");
}

#[test]
fn bad_input_is_refused_with_the_file_the_line_and_the_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = "id,frames,split\na,10,train\nb,20,valid\n";
    let cases: Vec<(&str, &str, Vec<&str>)> = vec![
        ("empty", "", vec![]),
        ("blank", "\n \n", vec![]),
        ("only a header", "id,frames\n", vec![]),
        ("missing column", "id,frame,n\na,1,2\n", vec![]),
        ("named column", csv, vec!["--column", "lenght"]),
        ("unknown filter column", csv, vec!["--where", "splt=train"]),
        ("filter form", csv, vec!["--where", "train"]),
        ("nothing left", csv, vec!["--where", "split=test"]),
        ("negative", "id,frames\na,10\nb,-3\n", vec![]),
        ("zero", "id,frames\na,10\nb,0\n", vec![]),
        ("not a number", "id,frames\na,10\nb,ten\n", vec![]),
        ("NaN", "id,frames\na,10\nb,NaN\n", vec![]),
        ("infinite", "id,frames\na,10\nb,inf\n", vec![]),
        ("missing value", "id,frames\na,10\nb,\n", vec![]),
        ("fraction", "id,frames\na,10.5\n", vec![]),
        ("too large", "id,frames\na,99999999999\n", vec![]),
        ("ragged", "id,frames\na,10\nb\n", vec![]),
        ("list negative", "10\n-1\n", vec![]),
        ("list NaN", "NaN\n", vec![]),
        ("list word", "10\nx\n", vec![]),
        ("list with a column", "10\n", vec!["--column", "frames"]),
        ("no header", "1,2\n3,4\n", vec![]),
        ("hop", csv, vec!["--hop", "0"]),
        ("negative hop", csv, vec!["--hop", "-1"]),
        ("CRLF", "id,frames\r\na,10\r\nb,20\r\nc,x\r\n", vec![]),
        ("CRLF ragged", "id,frames\r\na,10\r\nb\r\n", vec![]),
        ("CR only", "id,frames\ra,10\rb,x\r", vec![]),
        ("blank lines", "id,frames\n\na,10\n\n\nb,x\n", vec![]),
        ("blank lines, ragged", "id,frames\n\na,10\n\n\nb\n", vec![]),
        ("leading blank lines", "\n\n\nid,frames\na,x\n", vec![]),
        ("leading spaces", "  \n\r\nid,frames\na,x\n", vec![]),
        ("header after blanks", "\r\n\r\nid,n\r\na,1\r\n", vec![]),
        ("no header after blanks", "\n\n1,2\n", vec![]),
        ("quoted, no header", "\"1\",\"2\"\n", vec![]),
        ("slip in a list", "10o\n20\n", vec![]),
        ("comment in a list", "\n100 # the first\n20\n", vec![]),
        ("list CR only", "10\r20\rx\r", vec![]),
        ("list CRLF and blanks", "10\r\n\r\nx\r\n", vec![]),
        (
            "many values",
            "s,frames\na,1\nb,1\nc,1\nd,1\ne,1\nf,1\ng,1\nh,1\ni,1\n",
            vec!["--where", "s=z"],
        ),
        (
            "just enough values",
            "s,frames\na,1\n b ,1\n",
            vec!["--where", " s = z "],
        ),
    ];
    let mut said = Vec::new();
    for (what, content, args) in cases {
        let file = write(&folder, "input.csv", content);
        let message = fails_with_usage(&[&["analyze", &file], &args[..]].concat());
        said.push(format!(
            "{what:24}{}",
            message.replace(&file, "input.csv").trim_end()
        ));
    }
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn bad_arguments_are_refused_with_what_would_be_right() {
    let cases: [&[&str]; 20] = [
        &["analyze"],
        &["analyze", "no-such-file.csv"],
        &["analyze", "--profile", "ljspeach"],
        &["analyze", "--profile", "ljspeech", "--utterances", "0"],
        &["analyze", "--profile", "ljspeech", "--batch-size", "0"],
        &["analyze", "--profile", "ljspeech", "--seeds", "0"],
        &["analyze", "--profile", "ljspeech", "--strategy", "sotred"],
        &[
            "analyze",
            "--profile",
            "ljspeech",
            "--strategy",
            "semi-sorted:lrf=-1",
        ],
        &[
            "analyze",
            "--profile",
            "ljspeech",
            "--strategy",
            "alternated:bins=0",
        ],
        &[
            "analyze",
            "--profile",
            "ljspeech",
            "--strategy",
            "random,batch=0",
        ],
        &[
            "analyze",
            "--profile",
            "ljspeech",
            "--utterances",
            "9",
            "--strategy",
            "bucketed:mxnet",
        ],
        &["analyze", "--profile", "ljspeech", "--format", "yaml"],
        &[
            "analyze",
            "--profile",
            "ljspeech",
            "--utterances",
            "2147483648",
        ],
        &["analyze", "--profile", "ljspeech", "--utterances", "-1"],
        &["analyze", "--profile", "ljspeech", "--batch-size", "-1"],
        &[
            "analyze",
            "--profile",
            "ljspeech",
            "--batch-size",
            "2147483648",
        ],
        &["analyze", "--profile", "ljspeech", "--seeds", "-1"],
        &["analyze", "--profile", "ljspeech", "--ranks", "0"],
        &["analyze", "--profile", "ljspeech", "--ranks", "1048577"],
        &[
            "analyze",
            "--profile",
            "ljspeech",
            "--strategy",
            "random,\u{1b}[31m",
        ],
    ];
    let said: Vec<String> = cases.iter().map(|args| fails_with_usage(args)).collect();
    insta::assert_snapshot!(said.join("\n"));
}

/// `padwise analyze … | head -1` ends quietly.
#[test]
fn a_closed_pipe_is_no_failure() {
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
