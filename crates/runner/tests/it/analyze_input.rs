//! The input of `padwise analyze`: CSV, lists, standard input, and the errors for anything else.

use crate::common::{fails_with_usage, padwise, rows, write};

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
        8 + 23
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
    // 0.295 s are a window of 25 ms and 27 shifts of 10 ms, despite floating-point rounding.
    let seconds = write(&folder, "exact.csv", "set,seconds\nx,0.295\n");
    assert_eq!(
        items(&[&seconds, "--column", "seconds", "--hop", "10"])["valid_frames"],
        28
    );
    padwise()
        .args(["analyze", "-", "--strategy", "random", "--format", "csv"])
        .write_stdin("5\n6\n")
        .assert()
        .success();
}

#[test]
fn unused_columns_need_not_be_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("latin1.csv");
    std::fs::write(&path, b"name,frames\nJos\xe9,10\nAnna,20\n").expect("a writable folder");
    let file = path.display().to_string();
    let row = &rows(&["analyze", &file, "--strategy", "random", "--format", "json"])[0];
    assert_eq!(row["valid_frames"], 30);
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

/// A message never repeats a long line or sends an escape sequence to the terminal.
#[test]
fn messages_quote_an_excerpt_of_the_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = "x".repeat(100_000);
    let columns = write(&folder, "columns.csv", &format!("{long},b\n1,2\n"));
    let value = write(&folder, "value.csv", &format!("frames,b\n{long},2\n"));
    let wild = write(&folder, "wild.csv", "frames,b\n\u{1b}[2J\u{202e},2\n");
    let strategy = format!("{long},batch=2");
    for arguments in [
        &["analyze", columns.as_str()][..],
        &["analyze", &value],
        &["analyze", &wild],
        &["analyze", &columns, "--column", &strategy],
        &["analyze", &value, "--where", &format!("b={long}")],
        &["analyze", &value, "--where", &long],
        &["analyze", "--profile", "ljspeech", "--strategy", &strategy],
        &[
            "analyze",
            "--profile",
            "ljspeech",
            "--strategy",
            "\u{202e}modnar",
        ],
    ] {
        let message = fails_with_usage(arguments);
        assert!(message.len() < 2000, "{} bytes", message.len());
        let shown = message.replace('\n', "");
        let unprintable = shown.contains(padwise_sampler::excerpt::is_unprintable);
        assert!(!unprintable, "{message:?}");
    }
}
