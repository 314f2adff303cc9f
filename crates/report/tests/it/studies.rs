//! Studies of the results folders in `results/`. Their numbers appear in documents, which the tests of the `padwise` crate check.

use std::path::{Path, PathBuf};

use padwise_report::splice::{SourceFolder, content};
use padwise_report::studies::STUDIES;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether `results/` exists. It is not part of the published package.
fn has_results() -> bool {
    top().join("results/README.md").is_file()
}

#[test]
fn every_study_is_a_complete_table() {
    if !has_results() {
        return;
    }
    for (name, table) in STUDIES {
        let table = table(&top().join("results")).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!table.rows.is_empty(), "{name}");
        for row in &table.rows {
            assert_eq!(row.len(), table.header.len(), "{name}: {row:?}");
        }
    }
}

#[test]
fn cells_of_any_table_can_be_shown() {
    if !has_results() {
        return;
    }
    let shown = |source: &str| {
        content(source, &SourceFolder::anywhere(&top())).map_err(|error| error.to_string())
    };
    let mean_frames = shown("results study lengths cell \"LibriSpeech dev-clean\" \"mean frames\"");
    assert_eq!(mean_frames.as_deref(), Ok("723"));
    let speed = shown("results/step-speed/h200.jsonl steps cell \"700; 64; BF16 GEMMs\" frames/s");
    assert_eq!(speed.as_deref(), Ok("2,146,666"));
    let peer =
        "results/doetsch-table2-librispeech peer results/peer/doetsch-table2-librispeech.csv";
    let faster = shown(&format!("{peer} cell random speed-up"));
    assert_eq!(faster.as_deref(), Ok("16.0×"));
    // The same numbers as from SciPy: three runs against one, noise of ten strategies with 20 degrees of freedom.
    let losses = "results/ge-table2-librispeech peer-losses results/peer/ge-table2-librispeech.csv";
    let row = ["loss", "\"PyTorch loss\"", "difference", "\"95 % CI\"", "p"]
        .map(|column| shown(&format!("{losses} cell \"SSB; 2\" {column}")).expect("a cell"));
    assert_eq!(
        row.join(" | "),
        "0.836 | 0.823 | +0.013 | −0.027 to +0.053 | 0.49"
    );
    let ratio = shown("results/doetsch-table2-librispeech speed cell sorted speed-up");
    assert_eq!(ratio.as_deref(), Ok("2.24×"));
}

#[test]
fn invalid_sources_are_reported() {
    if !has_results() {
        return;
    }
    let message = |source: &str| {
        let error = content(source, &SourceFolder::anywhere(&top())).expect_err("nothing to show");
        error
            .to_string()
            .replace(&top().display().to_string(), "TOP")
    };
    insta::assert_snapshot!(message("results study speeds"), @"unknown study `speeds`: use one of shuffled-batches, steps, errors, by-time, last-utterances, rates, pilot, learning-rates, strategies, costs, differences, against-semi-sorted, decisions, decision-losses, speakers, speakers-against-semi-sorted, lengths, paper-batches, repeated-runs, buckets, bucket-cost, step-cost");
    insta::assert_snapshot!(message("crates study steps"), @"TOP/crates/ge-table2-librispeech is not a results folder: pass a folder written by `padwise run`, with config.toml and epochs.csv");
    insta::assert_snapshot!(message("results/step-speed/none.jsonl steps"), @"cannot read TOP/results/step-speed/none.jsonl: No such file or directory (os error 2)");
    insta::assert_snapshot!(message("results/README.md steps"), @"TOP/results/README.md:1: expected value");
    insta::assert_snapshot!(message("results study steps cell RAND \"epoch 7\""), @"results study steps has no column `epoch 7`; its columns are: strategy; epoch 1; epoch 2; epoch 3; epoch 4; epoch 5; epoch 6");
}

#[test]
fn the_study_trains_each_strategy_at_its_best_learning_rate() {
    if !has_results() {
        return;
    }
    let path = top().join("configs/study.toml");
    let text = std::fs::read_to_string(&path).expect("a config");
    let config = padwise_experiment_config::read_text(&text, &path, &[]).expect("valid");
    let (_, table) = (STUDIES
        .into_iter()
        .find(|(name, _)| *name == "learning-rates"))
    .expect("a study");
    let table = table(&top().join("results")).expect("records");
    let chosen: Vec<_> = (config.strategy.iter())
        .map(|row| {
            let rate = row.learning_rate.unwrap_or(config.train.learning_rate());
            (row.name.clone(), Some(rate.to_string()))
        })
        .collect();
    let best: Vec<_> = (table.rows.iter())
        .map(|cells| (cells[0].clone(), cells.last().cloned()))
        .collect();
    assert_eq!(chosen, best);
}
