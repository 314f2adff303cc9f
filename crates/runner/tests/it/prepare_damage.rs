//! `padwise prepare` with damaged files, kills and changed settings: one message each, and completed utterances are kept.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{corpus, fails_with_usage, in_folder, padwise, succeeds};
use padwise_features::pack::Pack;
use tempfile::TempDir;

#[test]
fn killed_ten_times_the_pack_has_the_same_bytes() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 120);
    let labels = in_folder(&folder, "labels.ctm");
    let clean = in_folder(&folder, "clean.pack");
    succeeds(&["prepare", &manifest, "--labels", &labels, "--out", &clean]);
    let out = in_folder(&folder, "killed.pack");
    let args = [
        "prepare", &manifest, "--labels", &labels, "--jobs", "1", "--out", &out,
    ];
    let partial = format!("{out}.partial");
    let whole = fs::metadata(&clean).expect("clean").len();
    let mut interrupted = 0;
    for kill in 1..=10 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_padwise"))
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("padwise starts");
        // Kill it once that much is written; the moment within an utterance is random.
        let far_enough =
            || fs::metadata(&partial).is_ok_and(|file| file.len() * 11 >= whole * kill);
        while !far_enough() && child.try_wait().expect("a child").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        child.wait().expect("it ends");
        interrupted += u32::from(Path::new(&partial).exists());
        if Path::new(&out).exists() {
            break;
        }
    }
    if !Path::new(&out).exists() {
        succeeds(&args);
    }
    assert!(
        interrupted > 0,
        "it was never killed half-way: make the corpus larger"
    );
    assert!(fs::read(&clean).expect("clean") == fs::read(&out).expect("killed"));
}

#[test]
fn what_is_wrong_is_said_once_with_its_file_and_nothing_is_lost() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 12);
    let labels = in_folder(&folder, "labels.ctm");
    let out = in_folder(&folder, "x.pack");
    let prepare = ["prepare", &manifest, "--labels", &labels, "--out", &out];
    let top = folder.path().display().to_string();
    let mut said = Vec::new();
    let mut fails = |args: &[&str]| {
        said.push(fails_with_usage(args).replace(&top, "."));
    };

    // A truncated file: completed utterances are kept, and the next run resumes after them.
    let damaged = folder.path().join("u009.wav");
    let whole = fs::read(&damaged).expect("just written");
    fs::write(&damaged, &whole[..whole.len() - 1]).expect("writable");
    fails(&prepare);
    let kept = fs::metadata(format!("{out}.partial"))
        .expect("what was done is kept")
        .len();
    assert!(kept > 9 * 1000);
    // Labels past the end of the audio, in another pack.
    let late = in_folder(&folder, "late.ctm");
    fs::write(&late, "u000 1 0.00 0.30 low\nu000 1 0.30 99.0 high\n").expect("writable");
    fails(&[
        "prepare",
        &manifest,
        "--labels",
        &late,
        "--out",
        &in_folder(&folder, "late.pack"),
    ]);
    // Settings that differ from those of the partial pack.
    fails(&["prepare", &manifest, "--out", &out]);
    // A duplicate id, a missing file, a folder without a corpus, a missing folder.
    let twice = in_folder(&folder, "twice.csv");
    fs::write(&twice, "id,path\na,u000.wav\nb,u001.wav\na,u002.wav\n").expect("writable");
    fails(&["prepare", &twice, "--out", &out]);
    fs::write(&twice, "id,path\na,u000.wav\nb,gone.wav\n").expect("writable");
    fails(&["prepare", &twice, "--out", &out]);
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("writable");
    fails(&["prepare", &empty.display().to_string(), "--out", &out]);
    fails(&["prepare", &in_folder(&folder, "nowhere"), "--out", &out]);
    insta::assert_snapshot!(said.join("\n"));

    // With --keep-going the damaged file is skipped and listed.
    let elsewhere = in_folder(&folder, "kept.pack");
    let assert = padwise()
        .args(["prepare", &manifest, "--out", &elsewhere, "--keep-going"])
        .assert()
        .success();
    let listed = String::from_utf8_lossy(&assert.get_output().stderr).replace(&top, ".");
    assert!(
        listed.starts_with("padwise: skipped u009: ./u009.wav"),
        "{listed}"
    );
    assert_eq!(Pack::open(elsewhere).expect("a pack").left_out().len(), 1);

    // Once the file is fixed, the same command gives the same pack as an uninterrupted run.
    fs::write(&damaged, &whole).expect("writable");
    succeeds(&prepare);
    let clean = in_folder(&folder, "clean.pack");
    succeeds(&["prepare", &manifest, "--labels", &labels, "--out", &clean]);
    assert!(fs::read(out).expect("fixed") == fs::read(clean).expect("clean"));
}

/// Resuming recomputes changed utterances and retries skipped ones. Other settings start again.
#[test]
fn a_resumed_pack_mixes_nothing() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 12);
    let labels = in_folder(&folder, "labels.ctm");
    let out = in_folder(&folder, "x.pack");
    let prepare = ["prepare", &manifest, "--labels", &labels, "--out", &out];
    let damaged = folder.path().join("u009.wav");
    let whole = fs::read(&damaged).expect("just written");
    fs::write(&damaged, &whole[..whole.len() - 1]).expect("writable");
    fails_with_usage(&prepare);
    // The time unit of labels is a setting.
    let said = fails_with_usage(&[&prepare[..], &["--label-times", "true"]].concat());
    assert!(
        said.contains("a different front end, labels, times"),
        "{said}"
    );
    fails_with_usage(&prepare);
    // Between the two runs, the audio of one finished utterance and the labels of another change.
    fs::write(folder.path().join("u002.wav"), crate::common::wav(40)).expect("writable");
    let text = fs::read_to_string(&labels).expect("labels");
    fs::write(
        &labels,
        text.replace("u005 1 0.00 0.30 low", "u005 1 0.00 0.30 high"),
    )
    .expect("writable");
    fs::write(&damaged, &whole).expect("writable");
    succeeds(&prepare);
    let clean = in_folder(&folder, "clean.pack");
    succeeds(&["prepare", &manifest, "--labels", &labels, "--out", &clean]);
    assert!(fs::read(out).expect("resumed") == fs::read(clean).expect("clean"));
}

#[test]
fn suspicious_labels_and_unused_options_are_reported() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 2);
    let labels = in_folder(&folder, "some.ctm");
    fs::write(
        &labels,
        "u000 1 0.0 0.73 low\nu001 1 0.0 0.1 high\nu777 1 0.0 0.1 high\n",
    )
    .expect("writable");
    let out = in_folder(&folder, "x.pack");
    let assert = padwise()
        .args(["prepare", &manifest, "--labels", &labels, "--out", &out])
        .assert()
        .success();
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    insta::assert_snapshot!(said, @"
    padwise: label times: counted, because labels end with the last frame in 1 of 2 utterances (with the audio: 0)
    padwise: warning: the labels contain 1 utterance that the corpus does not have; the first is u777
    padwise: warning: in 1 utterance the labels end before the audio (first: u001, 65 frames short); the remaining frames are labelled SIL
    ");
    // An interval that ends two frames after the features is an error, not rounding.
    fs::write(&labels, "u000 1 0.0 0.75 low\nu001 1 0.0 0.1 high\n").expect("writable");
    let other = in_folder(&folder, "y.pack");
    let late = ["prepare", &manifest, "--labels", &labels, "--out", &other];
    let said = fails_with_usage(&[&late[..], &["--label-times", "counted"]].concat());
    assert!(
        said.contains("some.ctm:1: utterance u000: labels end at 0.750 s"),
        "{said}"
    );
    let refused = [
        "prepare",
        &out,
        "--features",
        "kaldi-fbank80",
        "--out",
        &other,
    ];
    assert!(fails_with_usage(&refused).contains("--features does not apply"));
    assert!(
        fails_with_usage(&["prepare", &manifest, "--hop", "10", "--out", &other])
            .contains("--hop does not apply")
    );
    // If no utterance can be read, no pack is written.
    fs::write(folder.path().join("u000.wav"), "").expect("writable");
    fs::write(folder.path().join("u001.wav"), "no sound").expect("writable");
    let none = [
        "prepare",
        &manifest,
        "--keep-going",
        "--out",
        &in_folder(&folder, "z.pack"),
    ];
    assert!(fails_with_usage(&none).contains("none of the 2 utterances could be read"));
}
