//! `padwise run`, from a config to a table.

mod common;

use std::path::Path;

use common::{
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
    for heading in ["utt/s", "paper's WER %", "PER %", "ZPR %", "GB", "wait %"] {
        assert!(printed.contains(heading), "{heading}: {printed}");
    }
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
    // Repeats are interleaved: every strategy once before any again, each round beginning with another.
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
    // The loss falls, and a strategy's first epoch differs between seeds.
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
fn a_run_that_diverges_is_recorded_and_the_others_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let out = in_folder(&folder, "results");
    // Steps so large that the loss must rise.
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
fn a_run_can_end_by_its_loss() {
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
fn results_that_cannot_be_written_end_with_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let fails = |out: &str| {
        let assert = padwise()
            .args(["run", &file, "--out", out])
            .assert()
            .code(3);
        String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
    };
    // No folder can be made inside a file.
    let inside = in_folder(&folder, "tiny.toml/results");
    let said = fails(&inside);
    assert!(said.contains("cannot write"), "{said}");
    #[cfg(target_os = "linux")]
    {
        let full = folder.path().join("full");
        std::fs::create_dir_all(&full).expect("a folder");
        std::os::unix::fs::symlink("/dev/full", full.join("epochs.csv")).expect("a link");
        let said = fails(&full.display().to_string());
        assert!(said.contains("epochs.csv"), "{said}");
        assert!(said.contains("No space left"), "{said}");
    }
}

#[test]
fn a_folder_that_holds_a_run_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let out = in_folder(&folder, "results");
    let brief = ["--set", "train.epochs=1", "--set", "train.seeds=[1]"];
    succeeds(&[&["run", &file, "--out", &out], &brief[..]].concat());
    let said = fails_with_usage(&[&["run", &file, "--out", &out], &brief[..]].concat());
    assert!(said.contains("already holds a run"), "{said}");
    let said = fails_with_usage(&["run", &file, "--out", &out, "--resume"]);
    assert!(said.contains("made with another config"), "{said}");
    let nowhere = in_folder(&folder, "nowhere");
    let said = fails_with_usage(&["run", &file, "--out", &nowhere, "--resume"]);
    assert!(said.contains("no run to resume"), "{said}");
    // A finished run that is resumed has nothing to do, and prints its table.
    let printed = succeeds(&[&["run", &file, "--out", &out, "--resume"], &brief[..]].concat());
    assert!(printed.contains("utt/s"), "{printed}");
}

#[test]
fn devices_are_listed() {
    let printed = succeeds(&["devices"]);
    assert!(printed.contains("* cpu") || printed.contains("* cuda") || printed.contains("* wgpu"));
    assert!(printed.contains("--set train.backend="), "{printed}");
}

/// Every run is a process of its own, so what a large one took is not in the figures of a small one after it.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_a_runs_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = "[[strategy]]\nname = \"large\"\nline = \"sorted,batch=6\"\n[[strategy]]\nname = \"small\"\nline = \"sorted,chunk=60,frames=240\"\n";
    let head = TINY.split("[[strategy]]").next().unwrap_or_default();
    let file = write(&folder, "tiny.toml", &format!("{head}{rows}"));
    let out = in_folder(&folder, "results");
    let sets = [
        "train.epochs=1",
        "train.seeds=[1]",
        "model.hidden=32",
        "measure.validation-batch=1",
    ];
    let mut arguments = vec!["run", &file, "--out", &out];
    for set in &sets {
        arguments.extend(["--set", set]);
    }
    succeeds(&arguments);
    let rows = epochs(Path::new(&out));
    let memory = |row: usize| {
        let bytes = |key: &str| rows[row][key].parse::<f64>().expect("bytes");
        bytes("host_peak_bytes") - bytes("host_base_bytes")
    };
    assert_eq!(rows[0]["strategy"], "large");
    assert!(
        memory(1) < memory(0) / 2.0,
        "{} after {}",
        memory(1),
        memory(0)
    );
}
