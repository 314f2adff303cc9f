//! `train.patience`: runs stop when they no longer improve, and their best epoch is their result.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::{epochs, in_folder, learnt, succeeds};
use crate::words::{experiment, words};

/// A learning rate at which the loss soon rises again, lowered only then.
const HASTY: [&str; 8] = [
    "--set",
    "train.learning-rate=0.1",
    "--set",
    "train.schedule={ plateau = { improvement = 0.0, factor = 0.9 } }",
    "--set",
    "train.epochs=40",
    "--set",
    "train.patience=2",
];

const KEEP: [&str; 2] = ["--set", "measure.words.keep-posteriors=true"];

fn losses(out: &str, strategy: &str) -> Vec<f64> {
    let rows = epochs(Path::new(out)).into_iter();
    rows.filter(|row| row["strategy"] == strategy)
        .map(|row| row["validation_loss"].parse().expect("a loss"))
        .collect()
}

/// The epoch with the lowest loss, and that loss.
fn lowest(losses: &[f64]) -> (usize, f64) {
    let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let epoch = losses.iter().position(|&loss| loss == best);
    (epoch.expect("an epoch") + 1, best)
}

fn of_strategy(out: &str, strategy: &str) -> Vec<BTreeMap<String, String>> {
    let rows = words(Path::new(out)).into_iter();
    rows.filter(|row| row["strategy"] == strategy).collect()
}

#[test]
fn the_best_epoch_is_the_result() {
    let (folder, config) = experiment();
    let out = in_folder(&folder, "patient");
    succeeds(&[&["run", &config, "--out", &out], &HASTY[..], &KEEP[..]].concat());
    let losses = losses(&out, "random");
    let (best, loss) = lowest(&losses);
    assert!(losses.len() < 40, "never stopped: {losses:?}");
    assert_eq!(losses.len(), best + 2, "{losses:?}");
    let text = fs::read_to_string(Path::new(&out).join("summary.json")).expect("a summary");
    let summary: Value = serde_json::from_str(&text).expect("JSON");
    assert!(
        text.contains(&format!("{loss}")),
        "no {loss} in the summary {summary}"
    );
    // The test set was decoded with the model of the best epoch.
    let short = in_folder(&folder, "short");
    let epochs = format!("train.epochs={best}");
    let same = [&HASTY[..4], &KEEP[..]].concat();
    succeeds(
        &[
            &["run", &config, "--out", &short, "--set", &epochs],
            &same[..],
        ]
        .concat(),
    );
    assert_eq!(of_strategy(&out, "random"), of_strategy(&short, "random"));
    let posteriors = |out: &str| fs::read(Path::new(out).join("posteriors/1-1-test.pack"));
    let [patient, short] = [&out, &short].map(|out| posteriors(out).expect("posteriors"));
    assert!(patient == short, "posteriors of another epoch");
    let kept = fs::read_dir(Path::new(&out).join("checkpoints")).expect("a folder");
    let names = kept.flatten().map(|entry| entry.file_name());
    let models = names.filter(|name| name.to_string_lossy().ends_with(".safetensors"));
    assert_eq!(models.count(), 0, "checkpoints of finished runs");
}

#[test]
fn killed_runs_give_the_same_results() {
    let (folder, config) = experiment();
    let (clean, killed) = (in_folder(&folder, "clean"), in_folder(&folder, "killed"));
    succeeds(&[&["run", &config, "--out", &clean], &HASTY[..]].concat());
    for kill in 0..6u64 {
        let begun = Path::new(&killed).join("config.toml").exists();
        let resume: &[&str] = if begun { &["--resume"] } else { &[] };
        let mut run = Command::new(assert_cmd::cargo::cargo_bin("padwise"))
            .args([&["run", &config, "--out", &killed], &HASTY[..], resume].concat())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary is built with the tests");
        std::thread::sleep(Duration::from_millis(100 + kill * 61 % 200));
        run.kill().expect("killed");
        run.wait().expect("gone");
    }
    succeeds(
        &[
            &["run", &config, "--out", &killed],
            &HASTY[..],
            &["--resume"],
        ]
        .concat(),
    );
    assert_eq!(learnt(Path::new(&killed)), learnt(Path::new(&clean)));
    assert_eq!(words(Path::new(&killed)), words(Path::new(&clean)));
}

#[test]
fn a_damaged_best_model_restarts_its_run() {
    let (folder, config) = experiment();
    let (clean, out) = (in_folder(&folder, "clean"), in_folder(&folder, "out"));
    // The first epochs are the best, so the kept model is not the last one.
    let never = [
        "--set",
        "train.patience=1000",
        "--set",
        "train.learning-rate=0.1",
    ];
    let long = [&never[..], &["--set", "train.epochs=400"]].concat();
    let mut run = Command::new(assert_cmd::cargo::cargo_bin("padwise"))
        .args([&["run", &config, "--out", &out], &long[..]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary is built with the tests");
    let rows = || fs::read_to_string(Path::new(&out).join("epochs.csv")).unwrap_or_default();
    while rows().lines().count() < 20 {
        std::thread::sleep(Duration::from_millis(5));
    }
    run.kill().expect("killed");
    run.wait().expect("gone");
    let checkpoints = fs::read_dir(Path::new(&out).join("checkpoints")).expect("a folder");
    let is_best = |path: &std::path::PathBuf| path.to_string_lossy().contains("-best");
    let kept: Vec<_> = checkpoints
        .flatten()
        .map(|entry| entry.path())
        .filter(is_best)
        .collect();
    assert!(!kept.is_empty());
    for path in kept {
        fs::write(path, "damaged").expect("written");
    }
    let said = crate::common::messages(
        &[&["run", &config, "--out", &out], &long[..], &["--resume"]].concat(),
    );
    assert!(said.contains("restarting after epoch 0"), "{said}");
    succeeds(&[&["run", &config, "--out", &clean], &long[..]].concat());
    assert_eq!(learnt(Path::new(&out)), learnt(Path::new(&clean)));
}
