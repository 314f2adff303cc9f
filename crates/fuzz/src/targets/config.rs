//! Experiment configs.

use std::path::Path;

use padwise_experiment_config::read_text;

use super::strategy::use_strategy;
use crate::Target;

pub(super) const CONFIG: Target = Target {
    name: "config",
    run,
    words: &[
        "[corpus]",
        "[corpus.synthetic]",
        "[model]",
        "[train]",
        "[measure]",
        "[measure.words]",
        "[train.parallel]",
        "workers = ",
        "engine = \"turns\"",
        "average = \"step\"",
        "language-model = \"",
        "lm-scale = ",
        "test = { packs = [",
        "[features]",
        "[[strategy]]",
        "paper = {",
        "line = \"",
        "seeds = [",
        "epochs = ",
        "learning-rate = ",
        "schedule = ",
        "objective = \"ctc\"",
        "validation = { fresh = ",
        "batch-size = ",
        "train-fraction = ",
        "name = \"",
        "= ",
        "\"\"\"",
        "'''",
    ],
    repair: None,
    mutations: 3000,
};

fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let path = Path::new("experiment.toml");
    let sets = ["train.epochs=2".to_string()];
    let _ = read_text(text, path, &sets).map_err(|error| error.to_string());
    let config = match read_text(text, path, &[]) {
        Ok(config) => config,
        Err(error) => return drop(error.to_string()),
    };
    let _ = config.trainer(40, 100, 0);
    let written = config.to_toml().expect("a valid config can be written");
    let again = read_text(&written, path, &[]).expect("a written config can be read");
    let again = again.to_toml().expect("a valid config can be written");
    assert_eq!(written, again, "the written config reads differently");
    for row in config.strategy.iter().take(4) {
        use_strategy(&row.strategy);
    }
}
