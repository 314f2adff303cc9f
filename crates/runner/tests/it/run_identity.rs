//! `padwise run --resume` uses only files of the same experiment, and continues from the last valid state.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{corpus, fails_with_usage, in_folder, learnt, padwise, succeeds};
use crate::interrupted::{Interrupted, PACKED};

/// Standard error of a resumed run that must succeed.
fn resumes(run: &Interrupted) -> String {
    let ended = padwise().args(run.resume()).assert().success();
    String::from_utf8_lossy(&ended.get_output().stderr).into_owned()
}

#[test]
fn another_pack_of_the_same_shape_is_refused() {
    let run = Interrupted::new(PACKED);
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = corpus(folder.path(), 10);
    // One sample of one utterance differs.
    let audio = folder.path().join("u003.wav");
    let mut bytes = fs::read(&audio).expect("audio");
    bytes[5_001] ^= 0x10;
    fs::write(&audio, bytes).expect("writable");
    let labels = in_folder(&folder, "labels.ctm");
    let out = in_folder(&folder, "b.pack");
    succeeds(&["prepare", &manifest, "--labels", &labels, "--out", &out]);
    let pack = run.folder.path().join("a.pack");
    fs::rename(&pack, run.folder.path().join("original.pack")).expect("renamed");
    fs::rename(&out, &pack).expect("renamed");
    let said = fails_with_usage(&run.resume());
    assert!(said.contains("a.pack is not the corpus file"), "{said}");
    fs::rename(run.folder.path().join("original.pack"), &pack).expect("renamed");
    resumes(&run);
    assert_eq!(learnt(&run.out), run.clean());
}

#[test]
fn changed_statistics_are_refused_and_lost_ones_computed_again() {
    let run = Interrupted::new("");
    let path = run.out.join("normalisation.json");
    let text = fs::read_to_string(&path).expect("text");
    let digit = text
        .rfind(|c: char| ('1'..='8').contains(&c))
        .expect("a digit");
    let mut changed = text.clone().into_bytes();
    changed[digit] += 1;
    fs::write(&path, changed).expect("writable");
    let said = fails_with_usage(&run.resume());
    assert!(said.contains("normalisation.json: changed since"), "{said}");
    fs::remove_file(&path).expect("removed");
    resumes(&run);
    assert_eq!(fs::read_to_string(&path).expect("text"), text);
    assert_eq!(learnt(&run.out), run.clean());
}

#[test]
fn a_changed_config_and_a_lost_identity_are_refused() {
    let run = Interrupted::new("");
    let path = run.out.join("identity.json");
    let identity = fs::read_to_string(&path).expect("text");
    fs::write(
        &path,
        identity.replacen("\"config\": \"", "\"config\": \"0", 1),
    )
    .expect("writable");
    let said = fails_with_usage(&run.resume());
    assert!(said.contains("config.toml: changed since"), "{said}");
    fs::write(&path, "{}").expect("writable");
    let said = fails_with_usage(&run.resume());
    assert!(said.contains("identity.json: damaged"), "{said}");
    fs::remove_file(&path).expect("removed");
    let said = fails_with_usage(&run.resume());
    assert!(said.contains("no identity.json"), "{said}");
}

#[test]
fn rows_out_of_sequence_are_refused() {
    let run = Interrupted::new("");
    let path = run.out.join("epochs.csv");
    let text = fs::read_to_string(&path).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    let with = |rows: &[&str]| {
        let mut all = vec![lines[0]];
        all.extend(rows);
        fs::write(&path, all.join("\n") + "\n").expect("writable");
        fails_with_usage(&run.resume())
    };
    let epoch = |number: &str| lines[1].replacen(",1,1,", &format!(",1,{number},"), 1);
    for (rows, expected) in [
        (vec![lines[1], lines[1]], "expected epoch 2"),
        (vec![lines[2]], "expected epoch 1"),
        (vec![lines[2], lines[1]], "expected epoch 1"),
        (vec![epoch("0").as_str()], "expected epoch 1"),
        (vec![epoch("99").as_str()], "expected epoch 1"),
    ] {
        let said = with(&rows);
        assert!(said.contains("epochs.csv:"), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn damaged_and_foreign_checkpoints_are_not_used() {
    let run = Interrupted::new("");
    let last = run.latest_checkpoint();
    let mut bytes = fs::read(&last).expect("bytes");
    let end = bytes.len() - 9;
    bytes[end] ^= 4;
    fs::write(&last, bytes).expect("writable");
    let said = resumes(&run);
    assert!(said.contains("damaged checkpoint"), "{said}");
    assert_eq!(learnt(&run.out), run.clean());

    // A checkpoint of another experiment under the right name.
    let run = Interrupted::new("");
    let other = Interrupted::new("[train]\nlearning-rate = 0.002");
    for (own, foreign) in run.checkpoints().iter().zip(other.checkpoints()) {
        fs::copy(foreign, own).expect("copied");
    }
    let said = resumes(&run);
    assert!(said.contains("another experiment"), "{said}");
    assert!(said.contains("restarting after epoch 0"), "{said}");
    assert_eq!(learnt(&run.out), run.clean());
}

#[test]
fn renamed_checkpoints_are_not_used() {
    let run = Interrupted::new("");
    let finished = run.finished_checkpoint();
    for path in run.checkpoints() {
        if path != finished {
            fs::remove_file(path).expect("removed");
        }
    }
    let name = finished
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let (run_name, _) = name.split_once("-epoch").expect("an epoch");
    let renamed = finished.with_file_name(format!("{run_name}-epoch0001.safetensors"));
    fs::rename(&finished, renamed).expect("renamed");
    let said = resumes(&run);
    assert!(said.contains("it was written after epoch"), "{said}");
    assert!(said.contains("restarting after epoch 0"), "{said}");
    assert_eq!(learnt(&run.out), run.clean());
}

#[test]
fn a_run_without_checkpoints_starts_again() {
    let run = Interrupted::new("");
    for path in run.checkpoints() {
        fs::remove_file(path).expect("removed");
    }
    let said = resumes(&run);
    assert!(said.contains("restarting after epoch 0"), "{said}");
    assert_eq!(learnt(&run.out), run.clean());
}

#[test]
fn a_lost_row_is_restored() {
    let run = Interrupted::new("");
    let path = run.out.join("epochs.csv");
    let text = fs::read_to_string(&path).expect("text");
    let (before, _) = text.trim_end().rsplit_once('\n').expect("rows");
    fs::write(&path, format!("{before}\n")).expect("writable");
    let said = resumes(&run);
    assert!(said.contains("restored the row of epoch"), "{said}");
    assert_eq!(learnt(&run.out), run.clean());
    assert!(fs::read_to_string(&path).expect("text").starts_with(&text));
}

#[test]
fn checkpoints_of_finished_runs_are_removed_at_the_next_start() {
    let run = Interrupted::new("");
    let left = run.checkpoints().pop().expect("a checkpoint");
    let bytes = fs::read(&left).expect("bytes");
    resumes(&run);
    fs::write(&left, bytes).expect("writable");
    resumes(&run);
    assert_eq!(run.checkpoints(), Vec::<PathBuf>::new());
}

#[test]
fn a_corrupt_list_of_environments_is_reported() {
    let run = Interrupted::new("");
    let path = run.out.join("environment.json");
    fs::write(&path, "[{]").expect("writable");
    let ended = padwise().args(run.resume()).assert().code(3);
    let said = String::from_utf8_lossy(&ended.get_output().stderr).into_owned();
    assert!(said.contains("environment.json"), "{said}");
    assert_eq!(fs::read_to_string(&path).expect("text"), "[{]");
}

#[test]
fn another_version_is_noted() {
    let run = Interrupted::new("");
    let path = run.out.join("environment.json");
    let text = fs::read_to_string(&path).expect("text");
    let this = format!("\"padwise\": \"{}\"", env!("CARGO_PKG_VERSION"));
    fs::write(&path, text.replace(&this, "\"padwise\": \"0.0.9\"")).expect("writable");
    let said = resumes(&run);
    assert!(
        said.contains("padwise 0.0.9 recorded the earlier epochs"),
        "{said}"
    );
    let recorded = fs::read_to_string(&path).expect("text");
    assert!(
        recorded.contains("\"0.0.9\"") && recorded.contains(&this),
        "{recorded}"
    );
}

#[test]
fn a_foreign_epochs_file_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = crate::common::write(&folder, "tiny.toml", crate::common::TINY);
    let out = folder.path().join("out");
    fs::create_dir(&out).expect("a folder");
    fs::write(out.join("epochs.csv"), "mine\n").expect("writable");
    let path = out.display().to_string();
    let said = fails_with_usage(&["run", &file, "--out", &path]);
    assert!(said.contains("contains other files"), "{said}");
    assert_eq!(
        fs::read_to_string(out.join("epochs.csv")).expect("text"),
        "mine\n"
    );
    assert_eq!(fs::read_dir(&out).expect("a folder").count(), 1);
}

#[test]
fn links_in_a_results_folder_are_not_followed() {
    let run = Interrupted::new("");
    let target = run.folder.path().join("target");
    fs::write(&target, "mine\n").expect("writable");
    for name in ["lock", "epochs.csv", "log.txt", "checkpoints/lock"] {
        let path = run.out.join(name);
        let kept = fs::read(&path).unwrap_or_default();
        let _ = fs::remove_file(&path);
        std::os::unix::fs::symlink(&target, &path).expect("a link");
        let ended = padwise().args(run.resume()).assert().failure();
        let said = String::from_utf8_lossy(&ended.get_output().stderr).into_owned();
        assert!(
            said.contains(name.rsplit('/').next().unwrap_or(name)),
            "{name}: {said}"
        );
        fs::remove_file(&path).expect("removed");
        fs::write(&path, kept).expect("writable");
    }
    // Replaced files: the link goes, its target stays.
    for name in ["config.toml", "summary.csv", "table.md"] {
        let path = run.out.join(name);
        let kept = fs::read(&path).unwrap_or_default();
        let copy = run.folder.path().join(name);
        fs::write(&copy, &kept).expect("writable");
        let _ = fs::remove_file(&path);
        std::os::unix::fs::symlink(&copy, &path).expect("a link");
    }
    // The failed tries above recorded the run as failed; it is retried.
    let _ = resumes(&run);
    assert_eq!(fs::read_to_string(&target).expect("text"), "mine\n");
    assert!(
        !fs::symlink_metadata(run.out.join("table.md"))
            .expect("a file")
            .is_symlink()
    );
}

#[test]
fn a_linked_checkpoint_folder_is_refused() {
    let run = Interrupted::new("");
    let moved = run.folder.path().join("elsewhere");
    fs::rename(run.out.join("checkpoints"), &moved).expect("renamed");
    std::os::unix::fs::symlink(&moved, run.out.join("checkpoints")).expect("a link");
    let ended = padwise().args(run.resume()).assert().code(3);
    let said = String::from_utf8_lossy(&ended.get_output().stderr).into_owned();
    assert!(said.contains("checkpoints: not a folder"), "{said}");
}

#[test]
fn waiting_for_a_lock_is_reported_and_ends_with_ctrl_c() {
    let run = Interrupted::new("");
    let lock = fs::File::create(run.out.join("checkpoints/lock")).expect("a file");
    lock.lock().expect("locked");
    let child = std::process::Command::new(assert_cmd::cargo::cargo_bin("padwise"))
        .args(run.resume())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary is built with the tests");
    crate::interrupted::wait_for(
        Path::new(&run.out).join("log.txt"),
        "waiting for an earlier",
    );
    crate::interrupted::send("-INT", child.id());
    let ended = child.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(3), "{said}");
    assert!(
        said.contains("waiting for an earlier worker process"),
        "{said}"
    );
    assert!(said.contains("--resume"), "{said}");
    drop(lock);
    resumes(&run);
    assert_eq!(learnt(&run.out), run.clean());
}
