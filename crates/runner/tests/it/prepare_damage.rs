//! `padwise prepare` through damage, kills and second thoughts: one message each, and nothing lost.

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
        // When that much is written, or all is done: the moment within an utterance is left to chance.
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

    // A file that lost its last byte; what came before it stays, and the next run goes on from there.
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
    // Other settings than what was begun with.
    fails(&["prepare", &manifest, "--out", &out]);
    // An id that comes twice, a file that is not there, a folder that is no corpus, one that cannot be read.
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

    // With --keep-going the damaged one is left out and listed.
    let elsewhere = in_folder(&folder, "kept.pack");
    let assert = padwise()
        .args(["prepare", &manifest, "--out", &elsewhere, "--keep-going"])
        .assert()
        .success();
    let listed = String::from_utf8_lossy(&assert.get_output().stderr).replace(&top, ".");
    assert!(
        listed.starts_with("padwise: left out u009: ./u009.wav"),
        "{listed}"
    );
    assert_eq!(Pack::open(elsewhere).expect("a pack").left_out().len(), 1);

    // Mended, the same command ends with the pack of an undisturbed run.
    fs::write(&damaged, &whole).expect("writable");
    succeeds(&prepare);
    let clean = in_folder(&folder, "clean.pack");
    succeeds(&["prepare", &manifest, "--labels", &labels, "--out", &clean]);
    assert!(fs::read(out).expect("mended") == fs::read(clean).expect("clean"));
}

/// What changed between two goes is done again, what was left out is tried again, and other settings are refused.
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
    // Other times for labels are other settings.
    let said = fails_with_usage(&[&prepare[..], &["--label-times", "true"]].concat());
    assert!(
        said.contains("a different front end, labels, times"),
        "{said}"
    );
    // The audio of an utterance that was done, and the labels of another, change before the second go.
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
fn labels_that_may_be_a_mistake_and_options_that_do_not_apply_are_said() {
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
    padwise: there are labels of 1 utterances that the corpus does not have, u777 first
    padwise: the labels of 1 utterances end more than a frame before the audio, u001 first, by 65 frames; these are SIL
    ");
    // An interval two frames past the end is no rounding.
    fs::write(&labels, "u000 1 0.0 0.75 low\nu001 1 0.0 0.1 high\n").expect("writable");
    let other = in_folder(&folder, "y.pack");
    let said = fails_with_usage(&["prepare", &manifest, "--labels", &labels, "--out", &other]);
    assert!(
        said.contains("some.ctm:1: labels of utterance u000 end at 0.750 s"),
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
    // Nothing at all could be read: that is no pack.
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
