//! `corpus.states`: training on thirds of phones and on tied states.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{
    corpus, epochs, fails_with_usage, in_folder, learnt, messages, padwise, succeeds, write,
};

const CONFIG: &str = r#"
[corpus]
pack = "a.pack"
validation = { speakers = 1 }
states = "thirds"

[model]
layers = 1
hidden = 4

[train]
epochs = 2
batch-size = 8
backend = "cpu"

[measure]
warm-up-steps = 0

[[strategy]]
name = "chunks"
line = "random,chunk=40"

[[strategy]]
name = "sorted"
line = "sorted"
"#;

/// A pack of 40 utterances and a config. `low` follows `high` in every second utterance, and silence in the others.
fn experiment() -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = corpus(folder.path(), 40);
    let mut ctm = String::new();
    for n in 0..40 {
        let (first, second) = if n % 2 == 0 {
            ("low", "high")
        } else {
            ("high", "low")
        };
        ctm += &format!("u{n:03} 1 0.00 0.30 {first}\nu{n:03} 1 0.30 0.30 {second}\n");
    }
    let labels = write(&folder, "labels.ctm", &ctm);
    let pack = in_folder(&folder, "a.pack");
    succeeds(&["prepare", &manifest, "--labels", &labels, "--out", &pack]);
    let config = write(&folder, "states.toml", CONFIG);
    (folder, config)
}

/// Removes the epochs of the last strategy, as if the run had been interrupted before it.
fn forget_last_strategy(out: &Path) {
    let path = out.join("epochs.csv");
    let text = fs::read_to_string(&path).expect("text");
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("sorted,"))
        .collect();
    assert_eq!(kept.len(), 3, "{text}");
    fs::write(&path, kept.join("\n") + "\n").expect("writable");
}

fn json(path: &PathBuf) -> Value {
    let text = fs::read_to_string(path).expect("text");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn thirds_of_phones_are_trained_and_resumed() {
    let (folder, config) = experiment();
    // Three phones, silence among them.
    let checked = succeeds(&["run", &config, "--check"]);
    assert!(checked.contains("9 classes"), "{checked}");
    let path = folder.path().join("out");
    let out = path.display().to_string();
    let said = messages(&["run", &config, "--out", &out]);
    assert!(said.contains("9 states of 3 phones"), "{said}");
    for row in epochs(&path) {
        let percent: f64 = row["sequence_error_percent"]
            .parse()
            .expect("a phone error rate");
        assert!(percent > 0.0, "{row:?}");
    }
    assert_eq!(json(&path.join("states.json"))["kind"], "thirds");
    assert!(json(&path.join("identity.json"))["states"].is_string());
    let all = learnt(&path);
    forget_last_strategy(&path);
    succeeds(&["run", &config, "--out", &out, "--resume"]);
    assert_eq!(learnt(&path), all);
}

#[test]
fn tied_states_are_learnt_once_and_kept() {
    let (folder, config) = experiment();
    let set = ["--set", "corpus.states={ tied = 12 }"];
    let checked = succeeds(&[&["run", &config, "--check"], &set[..]].concat());
    assert!(checked.contains("12 classes"), "{checked}");
    let path = folder.path().join("out");
    let out = path.display().to_string();
    let run = [&["run", &config, "--out", &out], &set[..]].concat();
    let resume = [&run[..], &["--resume"]].concat();
    let said = messages(&run);
    assert!(said.contains("12 tied states of 3 phones"), "{said}");
    let all = learnt(&path);

    let states = path.join("states.json");
    let text = fs::read_to_string(&states).expect("text");
    fs::write(&states, text.replacen("leaf", "Leaf", 1)).expect("writable");
    let said = fails_with_usage(&resume);
    assert!(said.contains("states.json: changed since"), "{said}");
    // A lost file is learnt again.
    fs::remove_file(&states).expect("removed");
    forget_last_strategy(&path);
    padwise().args(&resume).assert().success();
    assert_eq!(fs::read_to_string(&states).expect("text"), text);
    assert_eq!(learnt(&path), all);

    // More states than there are contexts: as many as there are.
    let most = ["--set", "corpus.states={ tied = 60000 }"];
    let checked = succeeds(&[&["run", &config, "--check"], &most[..]].concat());
    assert!(checked.contains("15 classes"), "{checked}");
}

#[test]
fn states_that_do_not_fit_the_corpus_are_refused() {
    let (folder, config) = experiment();
    let said = fails_with_usage(&[
        "run",
        &config,
        "--check",
        "--set",
        "corpus.states={ tied = 8 }",
    ]);
    assert!(
        said.contains("8 tied states for 3 phones: use at least 9"),
        "{said}"
    );
    // A pack with targets, which CTC trains on.
    let targets = in_folder(&folder, "targets.pack");
    let pack = in_folder(&folder, "a.pack");
    succeeds(&["prepare", &pack, "--targets", "chars", "--out", &targets]);
    let sets = [
        "--set",
        "corpus.pack=targets.pack",
        "--set",
        "train.objective=ctc",
    ];
    let whole = ["--set", "strategy.0.line=random"];
    let said = fails_with_usage(&[&["run", &config, "--check"], &sets[..], &whole[..]].concat());
    assert!(said.contains("CTC trains on the targets"), "{said}");
}

/// States are the model's classes also where its cost is measured.
#[test]
fn the_cost_is_that_of_a_model_with_these_states() {
    let (folder, config) = experiment();
    let mut command = padwise();
    command.env("XDG_CACHE_HOME", folder.path().join("cache"));
    let args = [
        "bench",
        "cost",
        &config,
        "--seconds",
        "1",
        "--format",
        "json",
    ];
    let assert = command.args(args).assert().success();
    let profile: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
    assert_eq!(profile["model"]["classes"], 9);
}
