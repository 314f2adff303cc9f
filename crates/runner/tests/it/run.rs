//! `padwise run`: from a config to the table of results.

use std::path::Path;

use crate::common::{
    TINY, configs, epochs, fails_with_usage, in_folder, learnt, padwise, succeeds, write,
};

#[test]
fn an_experiment_leaves_a_table_and_a_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let out = in_folder(&folder, "results");
    let printed = succeeds(&["run", &file, "--out", &out]);
    let path = Path::new(&out);
    for name in [
        "config.toml",
        "environment.json",
        "epochs.csv",
        "summary.csv",
        "summary.json",
        "table.md",
        "log.txt",
        "normalisation.json",
    ] {
        assert!(path.join(name).is_file(), "{name}");
    }
    assert!(printed.starts_with("Tiny\n"), "{printed}");
    for heading in ["utt/s", "speed-up", "PER %", "MB", "loss"] {
        assert!(printed.contains(heading), "{heading}: {printed}");
        let explained = format!("\n  {heading} ");
        assert!(printed.contains(&explained), "{heading}: {printed}");
    }
    assert!(
        printed
            .lines()
            .all(|line| line.chars().count() <= 100 || line.contains(&out))
    );
    let wide = succeeds(&["run", &file, "--out", &out, "--resume", "--wide"]);
    for heading in ["utt/s", "WER %", "PER %", "ZPR %", "GB", "wait %"] {
        assert!(wide.contains(heading), "{heading}: {wide}");
    }
    assert!(wide.contains("\n  paper WER % "), "{wide}");
    let rows = epochs(path);
    assert_eq!(rows.len(), 2 * 2 * 3);
    for row in &rows {
        assert_eq!(row["status"], "trained");
        assert_eq!(row["utterances"], "6");
        for key in [
            "validation_loss",
            "train_loss",
            "sequence_error_percent",
            "host_peak_bytes",
        ] {
            let value: f64 = row[key].parse().unwrap_or(f64::NAN);
            assert!(value > 0.0 && value.is_finite(), "{key}: {row:?}");
        }
    }
    // Seeds are interleaved: every strategy runs once per round, and each round starts with another one.
    let order: Vec<(&str, &str)> = rows
        .iter()
        .step_by(3)
        .map(|row| (row["strategy"].as_str(), row["seed"].as_str()))
        .collect();
    assert_eq!(
        order,
        [
            ("random", "1"),
            ("sorted", "1"),
            ("sorted", "2"),
            ("random", "2")
        ]
    );
    let checkpoints = path.join("checkpoints").read_dir().expect("a folder");
    let left = checkpoints
        .flatten()
        .filter(|file| file.file_name() != "lock");
    assert_eq!(left.count(), 0, "checkpoints of finished runs are removed");
    // The loss decreases.
    let loss = |row: usize| rows[row]["train_loss"].parse::<f64>().expect("a loss");
    assert!(loss(2) < loss(0), "{} then {}", loss(0), loss(2));
    let environment = std::fs::read_to_string(path.join("environment.json")).expect("text");
    assert!(
        environment.contains("\"backend\": \"cpu\""),
        "{environment}"
    );
}

#[test]
fn quick_has_a_row_for_every_family() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = in_folder(&folder, "results");
    let file = configs().join("quick.toml").display().to_string();
    let sets = [
        "train.epochs=1",
        "train.backend=cpu",
        "model.hidden=4",
        "model.layers=1",
        "corpus.synthetic.utterances=16",
        "corpus.validation={fresh=2}",
    ];
    let mut arguments = vec!["run", &file, "--out", &out];
    for set in &sets {
        arguments.extend(["--set", set]);
    }
    let printed = succeeds(&arguments);
    let rows = epochs(Path::new(&out));
    assert_eq!(rows.len(), 11);
    for row in &rows {
        assert!(printed.contains(&row["strategy"]), "{printed}");
        assert!(!row["validation_loss"].is_empty(), "{row:?}");
    }
    let summary = std::fs::read_to_string(Path::new(&out).join("summary.json")).expect("text");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary.as_array().map(Vec::len), Some(11));
    let zpr = |row: usize| summary[row]["zpr_percent"].as_f64().expect("a rate");
    assert!(
        zpr(1) < zpr(0),
        "sorted batches have less padding than random ones"
    );
}

#[test]
fn the_same_experiment_gives_the_same_losses() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let (first, second) = (in_folder(&folder, "first"), in_folder(&folder, "second"));
    succeeds(&["run", &file, "--out", &first]);
    succeeds(&[
        "run",
        &file,
        "--out",
        &second,
        "--set",
        "train.loader-threads=3",
    ]);
    assert_eq!(learnt(Path::new(&first)), learnt(Path::new(&second)));
}

#[test]
fn a_diverged_run_is_recorded_and_the_others_continue() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let out = in_folder(&folder, "results");
    // A learning rate so large that the loss must rise.
    let printed = succeeds(&[
        "run",
        &file,
        "--out",
        &out,
        "--set",
        "train.learning-rate=1000.0",
        "--set",
        "train.divergence=1.01",
    ]);
    let rows = epochs(Path::new(&out));
    let diverged = rows.iter().filter(|row| row["status"] == "diverged");
    let diverged: Vec<_> = diverged.collect();
    assert!(!diverged.is_empty(), "{rows:?}");
    assert!(
        diverged
            .iter()
            .all(|row| row["note"].contains("the loss is"))
    );
    assert!(printed.contains("diverged)"), "{printed}");
}

#[test]
fn a_run_can_stop_at_a_target_loss() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let out = in_folder(&folder, "results");
    succeeds(&[
        "run",
        &file,
        "--out",
        &out,
        "--set",
        "train.stop-loss=100.0",
    ]);
    let rows = epochs(Path::new(&out));
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|row| row["status"] == "stopped"));
}

#[test]
fn sequences_are_learnt_with_ctc() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let out = in_folder(&folder, "results");
    let sets = [
        "train.objective=ctc",
        "train.optimiser=adadelta",
        "train.seeds=[1]",
    ];
    let mut arguments = vec!["run", &file, "--out", &out];
    for set in &sets {
        arguments.extend(["--set", set]);
    }
    succeeds(&arguments);
    let rows = epochs(Path::new(&out));
    assert_eq!(rows.len(), 6);
    for row in &rows {
        assert!(row["frame_error_percent"].is_empty(), "{row:?}");
        assert!(!row["sequence_error_percent"].is_empty(), "{row:?}");
    }
}

#[test]
fn a_folder_that_contains_a_run_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let out = in_folder(&folder, "results");
    let brief = ["--set", "train.epochs=1", "--set", "train.seeds=[1]"];
    succeeds(&[&["run", &file, "--out", &out], &brief[..]].concat());
    let said = fails_with_usage(&[&["run", &file, "--out", &out], &brief[..]].concat());
    assert!(said.contains("already contains a run"), "{said}");
    // The printed command starts a new run in another folder.
    let begin = said.lines().last().unwrap_or_default().trim();
    assert!(begin.ends_with(&format!("--out {out}-2")), "{said}");
    let arguments: Vec<String> = begin.split(' ').skip(1).map(unquoted).collect();
    succeeds(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(
        learnt(Path::new(&out)),
        learnt(Path::new(&(out.clone() + "-2")))
    );
    let said = fails_with_usage(&["run", &file, "--out", &out, "--resume"]);
    assert!(said.contains("recorded with another config"), "{said}");
    let nowhere = in_folder(&folder, "nowhere");
    let said = fails_with_usage(&["run", &file, "--out", &nowhere, "--resume"]);
    assert!(said.contains("no run to resume"), "{said}");
    // Resuming a finished run only prints its table.
    let printed = succeeds(&[&["run", &file, "--out", &out, "--resume"], &brief[..]].concat());
    assert!(printed.contains("utt/s"), "{printed}");
}

fn unquoted(word: &str) -> String {
    word.trim_matches('\'').to_owned()
}

#[test]
fn a_command_can_be_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder, "tiny.toml", TINY);
    let brief = ["--set", "train.epochs=1", "--set", "train.seeds=[1]"];
    let run = |more: &[&str]| {
        let mut command = padwise();
        command.current_dir(folder.path());
        command
            .args([&["run", "tiny.toml"], more].concat())
            .assert()
    };
    let program = assert_cmd::cargo::cargo_bin("padwise");
    let said = |assert: &assert_cmd::assert::Assert| {
        let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        text.replace(&program.display().to_string(), "PADWISE")
    };
    run(&brief).success();
    let second = run(&brief).success();
    let results = folder.path().join("results");
    insta::assert_snapshot!(said(&second), @"padwise: results/tiny contains a finished run; writing to results/tiny-2");
    assert_eq!(
        learnt(&results.join("tiny")),
        learnt(&results.join("tiny-2"))
    );
    // For an unfinished run, the user must choose. The record keeps its header and the first epoch.
    let record = results.join("tiny").join("epochs.csv");
    let text = std::fs::read_to_string(&record).expect("a record");
    let lines: String = text.split_inclusive('\n').take(2).collect();
    std::fs::write(&record, lines).expect("writable");
    let third = run(&brief).code(2);
    insta::assert_snapshot!(said(&third), @"
    padwise: results/tiny already contains a run. To resume it:
      PADWISE run tiny.toml --set train.epochs=1 --set 'train.seeds=[1]' --out results/tiny --resume
    To start another:
      PADWISE run tiny.toml --set train.epochs=1 --set 'train.seeds=[1]' --out results/tiny-3
    ");
    run(&[&brief[..], &["--resume"]].concat()).success();
    assert_eq!(
        learnt(&results.join("tiny")),
        learnt(&results.join("tiny-2"))
    );
    // Other files are never touched.
    let mine = folder.path().join("mine");
    std::fs::create_dir(&mine).expect("a folder");
    std::fs::write(mine.join("table.md"), "mine").expect("writable");
    let fourth = run(&["--out", "mine"]).code(2);
    insta::assert_snapshot!(said(&fourth), @"
    padwise: mine contains other files. To use a new folder:
      PADWISE run tiny.toml --out mine-2
    ");
}

#[test]
fn devices_are_listed() {
    let printed = succeeds(&["devices"]);
    assert!(printed.contains("  nvml  "), "{printed}");
    assert!(printed.contains("* cpu") || printed.contains("* cuda") || printed.contains("* wgpu"));
    assert!(printed.contains("--set train.backend="), "{printed}");
}
