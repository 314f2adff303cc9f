//! The input of `padwise plan`: where ids come from, and the errors.

use std::fs;

use crate::common::{corpus, fails_with_usage, in_folder, padwise, succeeds, write};

/// The ids in a plan of one sorted epoch, and the messages.
fn ids(file: &str, options: &[&str]) -> (Vec<String>, String) {
    let arguments = [
        "plan",
        file,
        "--strategy",
        "sorted,batch=1",
        "--epochs",
        "1",
    ];
    let assert = padwise().args(arguments).args(options).assert().success();
    let output = assert.get_output();
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let ids = lines.lines().map(|line| {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record");
        record["ids"][0].as_str().expect("an id").to_string()
    });
    (
        ids.collect(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn ids_come_from_the_documented_column() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = |rows: &str| write(&folder, "lengths.csv", rows);
    let cases: [(&str, &[&str], &[&str], &str); 12] = [
        ("path,utt,frames\na,x,1\nb,y,2\n", &[], &["x", "y"], ""),
        ("id,utt_id,frames\n7,x,1\n8,y,2\n", &[], &["7", "8"], ""),
        (
            "id,n,frames\na,7,1\nb,8,2\n",
            &["--id-column", "n"],
            &["7", "8"],
            "",
        ),
        (
            "text,path,frames\nx,a,1\ny,b,2\n",
            &[],
            &["a", "b"],
            "ids are from column `path`",
        ),
        (
            "n,name,frames\n3,a b,1\n4,c,2\n",
            &[],
            &["a b", "c"],
            "ids are from column `name`",
        ),
        // Segments of one file.
        (
            "path,frames\na,1\na,2\n",
            &[],
            &["0", "1"],
            "`a` occurs twice in column `path`",
        ),
        (
            "name,frames\na,1\n,2\n",
            &[],
            &["0", "1"],
            "rows are numbered",
        ),
        (
            "n,frames\n3,1\n4,2\n",
            &[],
            &["0", "1"],
            "no column has ids",
        ),
        // Rows that are left out have numbers, too; blank lines do not.
        (
            "n,frames\n3,9\n\n4,1\n4,2\n",
            &["--where", "n=4"],
            &["1", "2"],
            "rows are numbered",
        ),
        ("1\n\n2\n", &[], &["0", "1"], ""),
        (
            "{\"audio_filepath\":\"a\",\"frames\":1}\n{\"audio_filepath\":\"b\",\"frames\":2}\n",
            &[],
            &["a", "b"],
            "ids are from column `audio_filepath`",
        ),
        (
            "{\"id\":7,\"frames\":1}\n{\"frames\":2,\"id\":\"x\"}\n",
            &[],
            &["7", "x"],
            "",
        ),
    ];
    for (rows, options, expected, note) in cases {
        let (found, said) = ids(&csv(rows), options);
        assert_eq!(found, expected, "{rows}");
        assert!(
            said.contains(note) && said.is_empty() == note.is_empty(),
            "{rows}: {said}"
        );
    }
    // Utterances that are too short for a frame have a row number, too.
    let seconds = csv("seconds,n\n0.001,1\n1.0,2\n");
    let (found, said) = ids(&seconds, &[]);
    assert_eq!(found, ["1"], "{said}");
    let profile = [
        "plan",
        "--profile",
        "ljspeech",
        "--utterances",
        "3",
        "--strategy",
        "random",
    ];
    let plan = succeeds(&[&profile[..], &["--epochs", "1"]].concat());
    assert!(
        ["\"0\"", "\"1\"", "\"2\""]
            .iter()
            .all(|id| plan.contains(id)),
        "{plan}"
    );
}

#[test]
fn packs_have_ids() {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = corpus(folder.path(), 3);
    let pack = in_folder(&folder, "a.pack");
    succeeds(&["prepare", &manifest, "--out", &pack]);
    let (mut found, said) = ids(&pack, &[]);
    found.sort();
    assert_eq!(
        (found, said),
        (
            vec!["u000".into(), "u001".into(), "u002".into()],
            String::new()
        )
    );
}

#[test]
fn standard_input_has_ids() {
    let arguments = ["plan", "-", "--strategy", "sorted", "--epochs", "1"];
    let assert = padwise()
        .args(arguments)
        .write_stdin("id,frames\nx,5\ny,6\n")
        .assert()
        .success();
    let said = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert_eq!(
        said,
        "{\"epoch\":0,\"batch\":0,\"padded_length\":6,\"ids\":[\"x\",\"y\"]}\n"
    );
}

#[test]
fn errors_say_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = write(&folder, "good.csv", "id,frames\na,1\nb,2\n");
    let twice = write(&folder, "twice.csv", "id,frames\na,1\na,2\n");
    let empty = write(&folder, "empty.csv", "id,frames\na,1\n,2\n");
    let control = write(&folder, "control.csv", "id,frames\n\"a\nb\",1\n");
    let missing = write(
        &folder,
        "missing.jsonl",
        "{\"id\":\"a\",\"frames\":1}\n{\"frames\":2}\n",
    );
    let latin = in_folder(&folder, "latin1.csv");
    fs::write(&latin, b"id,frames\nJos\xe9,10\n").expect("a writable folder");
    let list = write(&folder, "list.txt", "1\n2\n");
    let nowhere = in_folder(&folder, "no/plan.jsonl");
    let into_folder = folder.path().display().to_string();
    let sorted: &[&str] = &["--strategy", "sorted", "--epochs", "1"];
    let with = |options: &[&str]| {
        let all = [&["plan"], options, sorted].concat();
        all.into_iter().map(String::from).collect::<Vec<_>>()
    };
    let cases = [
        with(&[]),
        with(&[&twice]),
        with(&[&twice, "--id-column", "frames", "--column", "id"]),
        with(&[&good, "--id-column", "ids"]),
        with(&[&empty]),
        with(&[&control]),
        with(&[&missing]),
        with(&[&latin]),
        with(&[&list, "--id-column", "id"]),
        with(&["--profile", "ljspeech", "--id-column", "id"]),
        with(&["--profile", "ljspeech", "--where", "a=b"]),
        with(&[&good, "--format", "npz"]),
        with(&[&good, "--rank", "0"]),
        with(&[&good, "--world", "2"]),
        with(&[&good, "--rank", "2", "--world", "2"]),
        with(&[&good, "--rank", "-1", "--world", "2"]),
        with(&[&good, "--out", &nowhere]),
        with(&[&good, "--out", &into_folder]),
        with(&[&good, "--out", "/dev/null"]),
        ["plan", &good, "--strategy", "sorted"]
            .map(String::from)
            .to_vec(),
        ["plan", &good, "--epochs", "1"].map(String::from).to_vec(),
        ["plan", &good, "--epochs", "0", "--strategy", "sorted"]
            .map(String::from)
            .to_vec(),
        ["plan", &good, "--epochs", "1", "--strategy", "sort"]
            .map(String::from)
            .to_vec(),
        [
            "plan",
            &good,
            "--epochs",
            "1",
            "--strategy",
            "sorted,batch=3,drop-last",
        ]
        .map(String::from)
        .to_vec(),
    ];
    let said = cases.iter().map(|arguments| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        fails_with_usage(&arguments).replace(&into_folder, "FOLDER")
    });
    let said: Vec<String> = said.collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_plan_that_fails_leaves_the_file_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = write(&folder, "good.csv", "id,frames\na,1\nb,2\n");
    let out = write(&folder, "plan.jsonl", "before");
    let arguments = ["plan", &good, "--epochs", "1", "--out", &out, "--strategy"];
    fails_with_usage(&[&arguments[..], &["sorted,batch=3,drop-last"]].concat());
    assert_eq!(fs::read_to_string(&out).expect("a file"), "before");
    succeeds(&[&arguments[..], &["sorted,batch=3"]].concat());
    assert!(
        fs::read_to_string(&out)
            .expect("a file")
            .starts_with("{\"epoch\":0")
    );
    let entries = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(entries, 2, "no temporary files");
}
