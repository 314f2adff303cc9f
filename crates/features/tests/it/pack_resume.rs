//! An interrupted pack writer resumes and produces the same bytes.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;
use std::path::Path;

use crate::support::{cases, frames, message};
use padwise_features::Matrix;
use padwise_features::corpus::{TargetSet, TargetUnit};
use padwise_features::pack::*;
use proptest::prelude::*;
use tempfile::TempDir;

fn setup(dtype: Dtype, labelled: bool) -> Setup {
    Setup {
        dims: 5,
        dtype,
        class_names: labelled.then(|| vec!["a".into(), "b".into(), "c".into()]),
        targets: None,
        front_end: serde_json::json!({"kind": "mfcc", "hop_ms": 10.0}),
    }
}

fn utterances(lengths: &[usize]) -> Vec<Utterance> {
    (0..lengths.len())
        .map(|n| Utterance {
            id: format!("utt-{n}"),
            speaker: (n % 2 == 0).then(|| format!("speaker {n}")),
            text: (n % 3 == 0).then(|| "ein kurzer Satz, größer als ASCII".into()),
            ..Utterance::default()
        })
        .collect()
}

/// Writes the remaining utterances up to `until`. An utterance of length 0 is left out.
fn write_until(writer: &mut PackWriter, lengths: &[usize], labelled: bool, until: usize) {
    let done = writer.done();
    for (n, &length) in lengths.iter().enumerate().take(until).skip(done) {
        if length == 0 {
            writer.leave_out("no audio").unwrap();
            continue;
        }
        let features: Matrix = frames(length, 5, n);
        let labels: Vec<i32> = (0..length).map(|t| ((t + n) % 3) as i32).collect();
        writer
            .append(&features, if labelled { &labels } else { &[] })
            .unwrap();
    }
}

fn clean_run(folder: &Path, setup: &Setup, lengths: &[usize]) -> Vec<u8> {
    let target = folder.join("clean.pack");
    let mut writer = PackWriter::create(&target, setup.clone(), utterances(lengths)).unwrap();
    let labelled = setup.class_names.is_some();
    write_until(&mut writer, lengths, labelled, lengths.len());
    writer.finish().unwrap().verify().unwrap();
    let bytes = fs::read(&target).unwrap();
    fs::remove_file(target).unwrap();
    bytes
}

fn setups() -> impl Strategy<Value = Setup> {
    (any::<bool>(), any::<bool>())
        .prop_map(|(half, labelled)| setup(if half { Dtype::F16 } else { Dtype::F32 }, labelled))
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn a_writer_killed_anywhere_resumes_to_the_same_bytes(
        setup in setups(),
        lengths in prop::collection::vec(0usize..40, 1..8),
        kills in prop::collection::vec((0usize..9, 0.0f64..=1.0, any::<bool>()), 1..4),
    ) {
        let folder = TempDir::new().unwrap();
        let expected = clean_run(folder.path(), &setup, &lengths);
        let labelled = setup.class_names.is_some();
        let target = folder.path().join("x.pack");
        let partial = folder.path().join("x.pack.partial");
        for (until, keep, zeros) in kills {
            let mut writer = PackWriter::create(&target, setup.clone(), utterances(&lengths)).unwrap();
            write_until(&mut writer, &lengths, labelled, until);
            let whole = writer.done();
            drop(writer);
            // Data that had not reached the disk when the machine crashed: it is missing or zeros.
            let bytes = fs::read(&partial).unwrap();
            let kept = (bytes.len() as f64 * keep) as usize;
            let mut left = bytes[..kept].to_vec();
            if zeros {
                left.resize(bytes.len(), 0);
            }
            fs::write(&partial, left).unwrap();
            let writer = PackWriter::create(&target, setup.clone(), utterances(&lengths)).unwrap();
            prop_assert!(writer.done() <= whole);
            prop_assert!(kept < bytes.len() || writer.done() == whole);
            prop_assert!(!target.exists());
        }
        let mut writer = PackWriter::create(&target, setup.clone(), utterances(&lengths)).unwrap();
        write_until(&mut writer, &lengths, labelled, lengths.len());
        writer.finish().unwrap().verify().unwrap();
        prop_assert!(fs::read(&target).unwrap() == expected);
        prop_assert!(!partial.exists());
    }

    /// Whatever a crash leaves, a writer with other settings starts again, and a crash of that one blocks neither.
    #[test]
    fn a_writer_killed_anywhere_can_be_replaced(
        lengths in prop::collection::vec(1usize..20, 1..5),
        kills in prop::collection::vec((any::<bool>(), 0usize..5, 0.0f64..=1.0, any::<bool>()), 1..5),
    ) {
        let folder = TempDir::new().unwrap();
        let setup = |labelled| setup(Dtype::F16, labelled);
        let expected = clean_run(folder.path(), &setup(true), &lengths);
        let target = folder.path().join("x.pack");
        let partial = folder.path().join("x.pack.partial");
        for (labelled, until, keep, zeros) in kills {
            let mut writer = PackWriter::create(&target, setup(labelled), utterances(&lengths)).unwrap();
            write_until(&mut writer, &lengths, labelled, until);
            drop(writer);
            let bytes = fs::read(&partial).unwrap();
            let mut left = bytes[..(bytes.len() as f64 * keep) as usize].to_vec();
            if zeros {
                left.resize(bytes.len(), 0);
            }
            fs::write(&partial, left).unwrap();
        }
        let mut writer = PackWriter::create(&target, setup(true), utterances(&lengths)).unwrap();
        write_until(&mut writer, &lengths, true, lengths.len());
        writer.finish().unwrap();
        prop_assert!(fs::read(&target).unwrap() == expected);
    }

    #[test]
    fn garbage_after_the_last_complete_utterance_is_overwritten(
        lengths in prop::collection::vec(1usize..20, 2..6),
        place in 0.0f64..1.0,
        garbage in prop::collection::vec(any::<u8>(), 1..200),
    ) {
        let folder = TempDir::new().unwrap();
        let setup = setup(Dtype::F16, true);
        let expected = clean_run(folder.path(), &setup, &lengths);
        let target = folder.path().join("x.pack");
        let partial = folder.path().join("x.pack.partial");
        drop(PackWriter::create(&target, setup.clone(), utterances(&lengths)).unwrap());
        let opening = fs::read(&partial).unwrap();
        // As after a crash between sealing and renaming, with a block that never reached the disk.
        let mut bytes = expected.clone();
        let at = opening.len() + ((bytes.len() - opening.len()) as f64 * place) as usize;
        for (place, byte) in (at..bytes.len()).zip(&garbage) {
            bytes[place] = *byte;
        }
        fs::write(&partial, &bytes).unwrap();
        let mut writer = PackWriter::create(&target, setup, utterances(&lengths)).unwrap();
        write_until(&mut writer, &lengths, true, lengths.len());
        writer.finish().unwrap();
        prop_assert!(fs::read(&target).unwrap() == expected);
    }
}

/// A user fixes a transcript, or removes a damaged utterance: what comes before it stays.
#[test]
fn utterances_before_the_first_change_of_the_list_are_kept() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("x.pack");
    let lengths = [3, 4, 5, 6];
    let setup = Setup {
        targets: Some(TargetSet {
            unit: TargetUnit::Chars,
            symbols: vec!["a".into(), "b".into()],
        }),
        ..setup(Dtype::F16, true)
    };
    let mut all = utterances(&lengths);
    all.iter_mut()
        .for_each(|utterance| utterance.targets = vec![0, 1]);
    let kept = |change: &dyn Fn(&mut Vec<Utterance>)| {
        let _ = fs::remove_file(folder.path().join("x.pack.partial"));
        let mut writer = PackWriter::create(&target, setup.clone(), all.clone()).unwrap();
        write_until(&mut writer, &lengths, true, 3);
        drop(writer);
        let mut changed = all.clone();
        change(&mut changed);
        let writer = PackWriter::create(&target, setup.clone(), changed).unwrap();
        assert_eq!(writer.restarted().is_some(), writer.done() == 0);
        writer.done()
    };
    assert_eq!(kept(&|_| ()), 3);
    assert_eq!(kept(&|list| list[1].text = Some("corrected".into())), 3);
    assert_eq!(kept(&|list| list[1].targets = vec![1]), 1);
    assert_eq!(kept(&|list| drop(list.remove(2))), 2);
    assert_eq!(kept(&|list| list.swap(0, 1)), 0);
}

/// An unfinished pack with other settings is replaced. The writer says which setting differs.
#[test]
fn a_changed_setup_starts_again() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("x.pack");
    let lengths = [3, 4];
    let first = setup(Dtype::F16, true);
    let mut writer = PackWriter::create(&target, first.clone(), utterances(&lengths)).unwrap();
    write_until(&mut writer, &lengths, true, 1);
    drop(writer);
    let partial = folder.path().join("x.pack.partial");
    let begun = fs::read(&partial).unwrap();
    let begin = |setup: Setup, utterances| {
        fs::write(&partial, &begun).unwrap();
        let writer = PackWriter::create(&target, setup, utterances).unwrap();
        assert_eq!(writer.done(), 0);
        writer.restarted().unwrap_or("nothing").to_string()
    };
    let mut hop = first.clone();
    hop.front_end = serde_json::json!({"kind": "mfcc", "hop_ms": 12.5});
    let mut dtype = first.clone();
    dtype.dtype = Dtype::F32;
    insta::assert_snapshot!([
        begin(hop.clone(), utterances(&lengths)),
        begin(dtype, utterances(&lengths)),
        begin(first.clone(), utterances(&lengths)[1..].to_vec()),
    ].join("\n"), @r#"
    front end, hop_ms (then 10.0, now 12.5)
    dtype (then "f16", now "f32")
    list of utterances
    "#);
    // The new pack contains nothing of the old one.
    fs::write(&partial, &begun).unwrap();
    let mut writer = PackWriter::create(&target, hop.clone(), utterances(&lengths)).unwrap();
    write_until(&mut writer, &lengths, true, 2);
    writer.finish().unwrap();
    let replaced = fs::read(&target).unwrap();
    fs::remove_file(&target).unwrap();
    assert!(replaced == clean_run(folder.path(), &hop, &lengths));
    // The same settings resume.
    fs::write(&partial, &begun).unwrap();
    let writer = PackWriter::create(&target, first.clone(), utterances(&lengths)).unwrap();
    assert_eq!((writer.done(), writer.restarted()), (1, None));
    drop(writer);
    // A part of an opening, as after a crash, has no utterances to lose.
    fs::write(&partial, &begun[..100]).unwrap();
    let writer = PackWriter::create(&target, hop, utterances(&lengths)).unwrap();
    assert_eq!((writer.done(), writer.restarted()), (0, Some("header")));
}

/// Only unfinished packs are replaced.
#[test]
fn a_file_that_is_not_an_unfinished_pack_is_refused() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("x.pack");
    let partial = folder.path().join("x.pack.partial");
    let first = setup(Dtype::F16, true);
    drop(PackWriter::create(&target, first.clone(), utterances(&[3])).unwrap());
    let mut damaged = fs::read(&partial).unwrap();
    damaged[70] ^= 1;
    for content in [b"something else entirely".to_vec(), damaged] {
        fs::write(&partial, &content).unwrap();
        let error = PackWriter::create(&target, first.clone(), utterances(&[3])).unwrap_err();
        insta::allow_duplicates! {
            insta::assert_snapshot!(message(error, folder.path()), @"x.pack.partial: not an unfinished pack, or damaged: remove it to start again");
        }
        assert!(fs::read(&partial).unwrap() == content);
    }
    // The remedy in the message works.
    fs::remove_file(partial).unwrap();
    let writer = PackWriter::create(&target, first, utterances(&[3])).unwrap();
    assert_eq!(writer.done(), 0);
}

/// A failure leaves nothing behind, unless there are utterances to keep.
#[test]
fn a_writer_without_utterances_leaves_no_file() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("x.pack");
    let partial = folder.path().join("x.pack.partial");
    let create =
        || PackWriter::create(&target, setup(Dtype::F16, false), utterances(&[2, 2])).unwrap();
    let mut writer = create();
    writer.leave_out("no audio").unwrap();
    writer.abandon();
    assert!(!partial.exists());
    let mut writer = create();
    write_until(&mut writer, &[2, 2], false, 1);
    writer.abandon();
    assert_eq!(create().done(), 1);
}

#[test]
fn two_writers_cannot_share_a_pack() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("x.pack");
    let setup = setup(Dtype::F16, false);
    let create = || PackWriter::create(&target, setup.clone(), utterances(&[2]));
    let mut first = create().unwrap();
    insta::assert_snapshot!(message(create().unwrap_err(), folder.path()), @"x.pack.partial: another process is writing it; wait for it to finish");
    write_until(&mut first, &[2], false, 1);
    first.finish().unwrap();
    insta::assert_snapshot!(message(create().unwrap_err(), folder.path()), @"x.pack: already exists; remove it to prepare the corpus again");
}

/// Output path of the process to be killed, set by the test that kills it.
const TARGET: &str = "PADWISE_TEST_KILLED_PACK";
const KILLED_LENGTHS: [usize; 5] = [30, 0, 7, 12, 400];

#[test]
#[ignore = "run as a process of its own by the next test"]
fn writes_until_killed() {
    let Some(target) = std::env::var_os(TARGET) else {
        return;
    };
    let setup = setup(Dtype::F16, true);
    let mut writer = PackWriter::create(&target, setup, utterances(&KILLED_LENGTHS)).unwrap();
    write_until(&mut writer, &KILLED_LENGTHS, true, 3);
    fs::write(Path::new(&target).with_extension("ready"), "").unwrap();
    std::thread::sleep(std::time::Duration::from_secs(60));
}

#[test]
#[cfg_attr(miri, ignore = "Miri starts no processes")]
fn a_killed_process_leaves_its_data_and_releases_the_lock() {
    let folder = TempDir::new().unwrap();
    let setup = setup(Dtype::F16, true);
    let expected = clean_run(folder.path(), &setup, &KILLED_LENGTHS);
    let target = folder.path().join("x.pack");
    let mut other = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["pack_resume::writes_until_killed", "--exact", "--ignored"])
        .env(TARGET, &target)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let ready = target.with_extension("ready");
    while !ready.exists() && other.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let create = || PackWriter::create(&target, setup.clone(), utterances(&KILLED_LENGTHS));
    let while_it_runs = create();
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(
        matches!(while_it_runs, Err(PackError::Busy { .. })),
        "{while_it_runs:?}"
    );
    // The utterance that was left out is tried again, and so are those after it.
    let mut writer = create().unwrap();
    let left_out = KILLED_LENGTHS.iter().position(|&length| length == 0);
    assert_eq!(writer.done(), left_out.unwrap_or(3).min(3));
    write_until(&mut writer, &KILLED_LENGTHS, true, KILLED_LENGTHS.len());
    writer.finish().unwrap();
    assert!(fs::read(&target).unwrap() == expected);
}

/// A link could point to any file of the user.
#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_unfinished_file_is_refused() {
    let folder = TempDir::new().unwrap();
    let (target, other) = (folder.path().join("x.pack"), folder.path().join("mine"));
    fs::write(&other, "mine").unwrap();
    std::os::unix::fs::symlink(&other, folder.path().join("x.pack.partial")).unwrap();
    let refused = PackWriter::create(&target, setup(Dtype::F16, false), utterances(&[1]));
    let said = message(refused.unwrap_err(), folder.path());
    assert_eq!(said, "x.pack.partial: not a regular file: remove it");
    assert_eq!(fs::read_to_string(other).unwrap(), "mine");
}
