//! Training with several workers in one process (`engine = "turns"`).

use std::fs;
use std::path::Path;

use crate::common::{epochs, fails_with_usage, in_folder, learnt, messages, succeeds, write};

/// An experiment with dropout and batches of few frames, for many steps in under a second.
const CONFIG: &str = r#"
[corpus]
validation = { fresh = 2 }

[corpus.synthetic]
utterances = 8
profile = "ljspeech"
classes = 123
dims = 4

[model]
layers = 1
hidden = 4
dropout = 0.2

[train]
epochs = 3
seeds = [1]
backend = "cpu"

[measure]
validation-batch = 2
warm-up-steps = 1

[[strategy]]
name = "random"
line = "random,chunk=20,batch=4"
"#;

/// The settings of workers whose parameters are averaged, for every choice of the optimiser's state, or whose gradients are.
const KINDS: [&str; 4] = [
    "optimiser-state=\"reset\"",
    "optimiser-state=\"keep\"",
    "optimiser-state=\"average\"",
    "average=\"step\"",
];

/// The option that sets `[train.parallel]`.
fn set(workers: &str, kind: &str) -> String {
    format!("train.parallel={{workers={workers},{kind},engine=\"turns\"}}")
}

#[test]
fn one_worker_equals_plain_training() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = write(&folder, "config.toml", CONFIG);
    let plain = in_folder(&folder, "plain");
    succeeds(&["run", &config, "--out", &plain]);
    for (number, kind) in KINDS.into_iter().enumerate() {
        let beta = if kind.contains("average=\"step\"") {
            ""
        } else {
            ",beta=0.0"
        };
        let out = in_folder(&folder, &number.to_string());
        let parallel = set("1", &format!("{kind}{beta}"));
        succeeds(&["run", &config, "--set", &parallel, "--out", &out]);
        assert_eq!(learnt(Path::new(&out)), learnt(Path::new(&plain)), "{kind}");
    }
}

#[test]
fn weight_decay_and_more_workers_change_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = write(&folder, "config.toml", CONFIG);
    let mut all = Vec::new();
    let decayed = [("1", "beta=0.1"), ("2", "beta=0.1")];
    let kinds = KINDS.into_iter().map(|kind| ("2", kind));
    for (number, (workers, kind)) in kinds.chain(decayed).enumerate() {
        let out = in_folder(&folder, &number.to_string());
        let parallel = set(workers, kind);
        succeeds(&["run", &config, "--set", &parallel, "--out", &out]);
        // Chunks of one utterance may go to several workers.
        for row in epochs(Path::new(&out)) {
            assert_eq!(row["utterances"], "8", "{parallel}");
        }
        all.push(learnt(Path::new(&out)));
    }
    for (at, one) in all.iter().enumerate() {
        assert!(
            !all[..at].contains(one),
            "number {at} equals an earlier one"
        );
    }
}

#[test]
fn each_number_of_workers_is_a_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = write(&folder, "config.toml", CONFIG);
    let out = in_folder(&folder, "out");
    let parallel = set("[1, 2]", KINDS[0]);
    let table = succeeds(&["run", &config, "--set", &parallel, "--out", &out]);
    for name in ["random, 1 worker ", "random, 2 workers "] {
        assert!(table.contains(name), "no `{name}` in {table}");
    }
    let mut reader = csv::Reader::from_path(Path::new(&out).join("workers.csv")).expect("a record");
    let mut lines: Vec<(String, u64, u64, u64, String)> = Vec::new();
    for line in reader.records() {
        let line = line.expect("a whole line");
        let number = |at: usize| line[at].parse().expect("a number");
        lines.push((
            line[0].to_owned(),
            number(1),
            number(2),
            number(3),
            line[4].to_owned(),
        ));
    }
    lines.sort();
    let found: Vec<_> = lines
        .iter()
        .map(|(name, seed, epoch, workers, seconds)| {
            assert_eq!(seconds.split(' ').count() as u64, *workers, "{seconds}");
            (name.as_str(), *seed, *epoch, *workers)
        })
        .collect();
    let expected = [("random, 1 worker", 1), ("random, 2 workers", 2)];
    let expected = expected
        .into_iter()
        .flat_map(|(name, workers)| (1..=3).map(move |epoch| (name, 1, epoch, workers)));
    assert_eq!(found, expected.collect::<Vec<_>>());
}

/// Two workers with batches of 4 take the steps of one that trains with batches of 8, except for rounding.
#[test]
fn averaged_gradients_are_those_of_a_larger_batch() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = write(&folder, "config.toml", CONFIG);
    // Utterances of different lengths, so gradients have different weights. Both take 20 steps.
    let settings = [
        "model.dropout=0.0",
        "corpus.synthetic.utterances=32",
        "train.epochs=5",
        "train.learning-rate=0.02",
    ];
    let common = settings.map(|setting| ["--set", setting]).concat();
    let last = |name: &str, batch: &str, parallel: &[&str]| {
        let out = in_folder(&folder, name);
        let line = format!("strategy.0.line=random,batch={batch}");
        let mut arguments = vec!["run", &config, "--out", &out, "--set", &line];
        arguments.extend(&common);
        arguments.extend(parallel);
        succeeds(&arguments);
        epochs(Path::new(&out)).pop().expect("an epoch")
    };
    let large = last("large", "8", &[]);
    let parallel = set("2", KINDS[3]);
    let both = last("both", "4", &["--set", &parallel]);
    for key in ["train_loss", "validation_loss"] {
        let [large, both]: [f64; 2] =
            [&large, &both].map(|row| row[key].parse().expect("a number"));
        assert!(
            (large - both).abs() < 1e-5 * large,
            "{key}: {both} instead of {large}"
        );
    }
    for key in ["items", "utterances", "valid_frames"] {
        assert_eq!(both[key], large[key], "{key}");
    }
}

#[test]
fn a_check_plans_the_portion_of_each_worker() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = write(&folder, "config.toml", CONFIG);
    for (kind, largest) in [(KINDS[0], " 2 × "), (KINDS[3], " 4 × ")] {
        let parallel = set("[1, 4]", kind);
        let line = "strategy.0.line=random,batch=4";
        let arguments = ["run", &config, "--check", "--set", &parallel, "--set", line];
        let printed = succeeds(&arguments);
        let row = |name: &str| {
            let line = printed.lines().find(|line| line.contains(name));
            line.unwrap_or_else(|| panic!("no `{name}` in {printed}"))
        };
        assert!(row("random, 1 worker ").contains(" 4 × "), "{printed}");
        assert!(row("random, 4 workers").contains(largest), "{printed}");
    }
}

#[test]
fn mpi_that_is_not_built_in_is_a_usage_error() {
    if cfg!(feature = "mpi") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let config = write(&folder, "config.toml", CONFIG);
    let out = in_folder(&folder, "out");
    let said = fails_with_usage(&[
        "run",
        &config,
        "--set",
        "train.parallel={workers=2}",
        "--out",
        &out,
    ]);
    let remedy = "this build has no MPI: build with --features mpi, or set engine = \"turns\"";
    assert!(said.contains(remedy), "{said}");
    assert!(!Path::new(&out).exists(), "a folder was created");
    // One worker needs no MPI.
    messages(&[
        "run",
        &config,
        "--set",
        "train.parallel={workers=1}",
        "--out",
        &out,
    ]);
}

/// A run with three workers that is interrupted, resumed, killed and resumed again.
#[cfg(unix)]
mod resumed {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::interrupted::{send, wait_for};

    fn equals_an_uninterrupted_one(kind: &str) {
        let folder = tempfile::tempdir().expect("a folder");
        let config = write(&folder, "config.toml", CONFIG);
        let (clean, out) = (in_folder(&folder, "clean"), in_folder(&folder, "out"));
        let parallel = set("3", kind);
        // Enough steps for the signals to arrive in the middle of an epoch.
        let options = [
            "--set",
            &parallel,
            "--set",
            "train.epochs=4",
            "--set",
            "strategy.0.line=random,chunk=20,batch=1",
        ];
        let run = [&["run", &config], &options[..]].concat();
        succeeds(&[&run, &["--out", &clean][..]].concat());
        let signals = [
            ("random,1,1,", "-INT", Some(3)),
            ("random,1,2,", "-KILL", None),
        ];
        for (number, (line, signal, code)) in signals.into_iter().enumerate() {
            let resume: &[&str] = if number > 0 { &["--resume"] } else { &[] };
            let mut child = Command::new(assert_cmd::cargo::cargo_bin("padwise"))
                .args([&run[..], &["--out", &out], resume].concat())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the binary is built with the tests");
            wait_for(Path::new(&out).join("epochs.csv"), line);
            send(signal, child.id());
            assert_eq!(child.wait().expect("an end").code(), code, "{signal}");
        }
        let recorded = fs::read_to_string(Path::new(&out).join("epochs.csv")).expect("a record");
        assert!(!recorded.contains("random,1,4,"), "it ended too early");
        succeeds(&[&run, &["--out", &out, "--resume"][..]].concat());
        assert_eq!(learnt(Path::new(&out)), learnt(Path::new(&clean)));
        let left = fs::read_dir(Path::new(&out).join("checkpoints")).expect("a folder");
        let left: Vec<_> = left
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        assert_eq!(left, ["lock"], "files are left over");
    }

    /// A coordinator that is killed may lose the last row of both files. The checkpoint has them.
    #[test]
    fn with_the_lost_times_of_an_epoch() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = write(&folder, "config.toml", CONFIG);
        let out = in_folder(&folder, "out");
        let parallel = set("2", KINDS[0]);
        let line = "strategy.0.line=random,chunk=20,batch=1";
        let run = [
            "run", &config, "--set", &parallel, "--set", line, "--out", &out,
        ];
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("padwise"))
            .args(run)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary is built with the tests");
        let path = |name: &str| Path::new(&out).join(name);
        wait_for(path("epochs.csv"), "random,1,2,");
        send("-KILL", child.id());
        child.wait().expect("an end");
        for name in ["epochs.csv", "workers.csv"] {
            let text = fs::read_to_string(path(name)).expect("a record");
            let first = text.lines().take(2);
            let first: String = first.map(|line| format!("{line}\n")).collect();
            fs::write(path(name), first).expect("a writable file");
        }
        succeeds(&[&run[..], &["--resume"]].concat());
        let times = fs::read_to_string(path("workers.csv")).expect("a record");
        for epoch in 1..=3 {
            assert!(times.contains(&format!("random,1,{epoch},2,")), "{times}");
        }
    }

    /// Only one checkpoint is left, so the run starts again.
    #[test]
    fn with_a_damaged_state_of_a_worker() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = write(&folder, "config.toml", CONFIG);
        let (clean, out) = (in_folder(&folder, "clean"), in_folder(&folder, "out"));
        let parallel = set("2", KINDS[1]);
        let line = "strategy.0.line=random,chunk=20,batch=1";
        let run = ["run", &config, "--set", &parallel, "--set", line];
        succeeds(&[&run[..], &["--out", &clean]].concat());
        let run = [&run[..], &["--out", &out]].concat();
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("padwise"))
            .args(&run)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary is built with the tests");
        wait_for(Path::new(&out).join("epochs.csv"), "random,1,1,");
        send("-INT", child.id());
        assert_eq!(child.wait().expect("an end").code(), Some(3));
        let files = fs::read_dir(Path::new(&out).join("checkpoints")).expect("a folder");
        let mut damaged = Vec::new();
        for file in files.map(|entry| entry.expect("an entry").path()) {
            if file.to_string_lossy().ends_with(".worker1.safetensors") {
                let mut bytes = fs::read(&file).expect("a file");
                let last = bytes.last_mut().expect("a byte");
                *last ^= 1;
                fs::write(&file, bytes).expect("a writable file");
                damaged.push(file);
            }
        }
        assert!(!damaged.is_empty());
        let said = messages(&[&run[..], &["--resume"]].concat());
        for file in &damaged {
            let name = file.file_name().expect("a name").to_string_lossy();
            let not_used = format!("not used: checkpoints/{name}: ");
            assert!(said.contains(&not_used), "no `{not_used}` in {said}");
        }
        assert!(said.contains("restarting after epoch 0"), "{said}");
        assert_eq!(learnt(Path::new(&out)), learnt(Path::new(&clean)));
    }

    #[test]
    fn with_new_optimisers() {
        equals_an_uninterrupted_one(KINDS[0]);
    }

    #[test]
    fn with_kept_optimisers() {
        equals_an_uninterrupted_one(KINDS[1]);
    }

    #[test]
    fn with_averaged_optimisers() {
        equals_an_uninterrupted_one(KINDS[2]);
    }

    #[test]
    fn with_averaged_gradients() {
        equals_an_uninterrupted_one(KINDS[3]);
    }
}
