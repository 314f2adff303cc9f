//! Training learns: the model beats a linear classifier, and whole utterances beat short chunks.
//!
//! These tests are small and take seconds; `configs/learning.toml` has the same experiment with more utterances. The margins are about
//! half of the differences over four seeds. Seeds differed by 1.5 points and 0.1 nats.

use std::path::Path;

use crate::common::{configs, epochs, in_folder, succeeds, write};
use linear::Linear;
use padwise::corpora::Split;

#[path = "../../examples/linear_baseline/linear.rs"]
mod linear;

const LEARNING: &str = r#"
[corpus]
validation = { fresh = 12 }

[corpus.synthetic]
utterances = 64
profile = "ljspeech"
classes = 123
speakers = 24

[model]
layers = 1
hidden = 32

[train]
epochs = 6
batch-size = 2
learning-rate = 0.01
clip-norm = 1.0
backend = "cpu"

[measure]
warm-up-steps = 0
validation-batch = 4

[[strategy]]
name = "whole"
line = "random"

[[strategy]]
name = "chunks of 10"
line = "random,chunk=10,frames=1200"
"#;

#[test]
fn a_model_beats_a_linear_one_and_whole_utterances_beat_chunks_of_ten_frames() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "learning.toml", LEARNING);
    let out = in_folder(&folder, "results");
    succeeds(&["run", &file, "--out", &out]);
    let rows = epochs(Path::new(&out));
    let last = |strategy: &str, key: &str| -> f64 {
        let row = rows.iter().rfind(|row| row["strategy"] == strategy);
        row.expect("an epoch")[key].parse().expect("a number")
    };
    let whole = last("whole", "frame_error_percent");
    let loss = |strategy: &str| last(strategy, "validation_loss");

    let config = padwise_experiment_config::read_text(LEARNING, Path::new("learning.toml"), &[]);
    let config = config.expect("a config");
    let split = Split::open(&config.corpus, Path::new(""), config.train.objective, false)
        .expect("a corpus");
    let linear = Linear::fit(split.training.as_ref(), 0);
    let (linear, _) = linear.test(split.validation.as_ref());
    assert!(whole < linear - 8.0, "{whole:.1} % vs {linear:.1} %");
    assert!(
        loss("whole") < loss("chunks of 10") - 0.1,
        "{} vs {}",
        loss("whole"),
        loss("chunks of 10")
    );
}

#[test]
fn the_loss_falls_under_every_family_of_strategies() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = in_folder(&folder, "results");
    let file = configs().join("quick.toml").display().to_string();
    let sets = [
        "train.epochs=3",
        "train.backend=cpu",
        "train.batch-size=4",
        "model.hidden=16",
        "model.layers=1",
        "corpus.synthetic.utterances=32",
        "corpus.validation={fresh=4}",
    ];
    let mut arguments = vec!["run", &file, "--out", &out];
    for set in &sets {
        arguments.extend(["--set", set]);
    }
    succeeds(&arguments);
    let rows = epochs(Path::new(&out));
    assert_eq!(rows.len(), 11 * 3);
    for run in rows.chunks_exact(3) {
        let loss = |epoch: usize, key: &str| run[epoch][key].parse::<f64>().expect("a loss");
        let validation = [0, 1, 2].map(|epoch| loss(epoch, "validation_loss"));
        let start = loss(0, "start_loss");
        let falls = start > validation[0] && validation.is_sorted_by(|a, b| a > b);
        assert!(
            falls,
            "{}: {start}, then {validation:?}",
            run[0]["strategy"]
        );
    }
}
