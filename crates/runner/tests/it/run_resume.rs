//! Resuming killed and interrupted runs.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{TINY, in_folder, learnt, padwise, succeeds, write};

fn start(arguments: &[&str]) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("padwise"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary is built with the tests")
}

fn interrupt(run: &Child) {
    let status = Command::new("kill")
        .args(["-INT", &run.id().to_string()])
        .status();
    assert!(status.expect("kill").success());
}

fn lines(out: &str) -> usize {
    std::fs::read_to_string(Path::new(out).join("epochs.csv"))
        .map_or(0, |text| text.lines().count())
}

#[test]
fn a_run_killed_ten_times_gives_the_same_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let (clean, killed) = (in_folder(&folder, "clean"), in_folder(&folder, "killed"));
    succeeds(&["run", &file, "--out", &clean]);
    for kill in 0..10u64 {
        let begun = Path::new(&killed).join("config.toml").exists();
        let resume: &[&str] = if begun { &["--resume"] } else { &[] };
        let mut run = start(&[&["run", &file, "--out", &killed], resume].concat());
        // Kill it at a varying moment: right after an epoch, or after a fixed time.
        let before = lines(&killed);
        for _ in 0..(kill * 37) % 60 + 10 {
            if kill % 2 == 0 && lines(&killed) > before {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        if kill % 3 == 2 {
            // Kill it while it saves the unfinished epoch.
            interrupt(&run);
            std::thread::sleep(Duration::from_millis(kill));
        }
        run.kill().expect("killed");
        run.wait().expect("gone");
    }
    let begun = Path::new(&killed).join("config.toml").exists();
    let resume: &[&str] = if begun { &["--resume"] } else { &[] };
    succeeds(&[&["run", &file, "--out", &killed], resume].concat());
    assert_eq!(learnt(Path::new(&killed)), learnt(Path::new(&clean)));
}

#[test]
fn an_interrupted_run_prints_how_to_resume_and_trains_no_batch_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let (clean, out) = (in_folder(&folder, "clean"), in_folder(&folder, "out"));
    // With many batches, the interrupt almost surely arrives in the middle of an epoch.
    let long = [
        "--set",
        "train.epochs=6",
        "--set",
        "strategy.0.line=random,chunk=20,batch=1",
    ];
    let run = Command::new(assert_cmd::cargo::cargo_bin("padwise"))
        .args([&["run", &file, "--out", &out], &long[..]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary is built with the tests");
    while lines(&out) < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    interrupt(&run);
    let output = run.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("finishing the current batch"), "{said}");
    assert!(
        said.contains("interrupted in `random`, seed 1, epoch"),
        "{said}"
    );
    assert!(said.contains("batches (saved)"), "{said}");
    assert!(said.contains("train.epochs=6"), "{said}");
    let last = said.lines().last().unwrap_or_default().trim();
    assert!(last.ends_with(&format!("--out {out} --resume")), "{said}");
    let arguments: Vec<&str> = last.split(' ').skip(1).collect();
    succeeds(&arguments);
    succeeds(&[&["run", &file, "--out", &clean], &long[..]].concat());
    assert_eq!(learnt(Path::new(&out)), learnt(Path::new(&clean)));
}

#[test]
fn two_runs_in_one_folder_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let out = in_folder(&folder, "out");
    let mut first = start(&["run", &file, "--out", &out, "--set", "train.epochs=1000"]);
    while !Path::new(&out).join("config.toml").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = padwise()
        .args([
            "run",
            &file,
            "--out",
            &out,
            "--set",
            "train.epochs=1000",
            "--resume",
        ])
        .assert()
        .code(2);
    first.kill().expect("killed");
    first.wait().expect("gone");
    let said = String::from_utf8_lossy(&second.get_output().stderr).into_owned();
    assert!(said.contains("in use by another run"), "{said}");
}
