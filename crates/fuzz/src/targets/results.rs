//! Results folders: `epochs.csv` alone, a whole folder, and a report on it.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use padwise_report::compare::Comparison;
use padwise_report::findings::Findings;
use padwise_report::record::{ExperimentConfig, Recorded, Summary, WordsRecord, read_rows};
use padwise_report::{narrative, report, tables};

use crate::{Target, parts, scratch};

const WORDS: &[&str] = &[
    "trained",
    "stopped",
    "diverged",
    "failed",
    "random",
    "sorted",
    "\n=====\n",
    ",,",
    "[[strategy]]",
    "seeds = [",
    "epochs = ",
    "baseline = ",
    "paper = {",
    "null",
];

/// `epochs.csv`.
pub(super) const EPOCHS: Target = Target {
    name: "epochs",
    run: epochs,
    words: WORDS,
    repair: None,
    mutations: 2000,
};

/// A results folder: `config.toml`, `epochs.csv`, `environment.json`, `words.csv`, `test-utterances.csv`, `decoding.json`,
/// `workers.csv`, `identity.json`.
pub(super) const RESULTS: Target = Target {
    name: "results",
    run: results,
    words: WORDS,
    repair: None,
    mutations: 600,
};

/// A results folder, reported on with all plots, which is slow.
pub(super) const REPORT: Target = Target {
    name: "report",
    run: full_report,
    words: WORDS,
    repair: None,
    mutations: 8,
};

const CONFIG: &str = include_str!("../../seeds/config/results.toml");

fn epochs(input: &[u8]) {
    let path = scratch::file("epochs.csv", input);
    match read_rows(&path) {
        Err(error) => drop(error.to_string()),
        Ok(rows) => {
            let config = config();
            let summary = Summary::of(config, &rows, &WordsRecord::default());
            let _ = report::summary_files(&summary, &config.strategy);
        }
    }
}

/// The config of the seeds.
pub(super) fn config() -> &'static ExperimentConfig {
    static PARSED: LazyLock<ExperimentConfig> = LazyLock::new(|| {
        let path = Path::new("config.toml");
        padwise_experiment_config::read_text(CONFIG, path, &[]).expect("a valid config")
    });
    &PARSED
}

fn folder(input: &[u8]) -> PathBuf {
    let names = [
        "config.toml",
        "epochs.csv",
        "environment.json",
        "words.csv",
        "test-utterances.csv",
        "decoding.json",
        "workers.csv",
        "identity.json",
    ];
    scratch::files("results", &names, &parts::split(input))
}

fn results(input: &[u8]) {
    let recorded = match Recorded::open(&folder(input)) {
        Ok(recorded) => recorded,
        Err(error) => return drop(error.to_string()),
    };
    let _ = recorded.is_finished();
    let findings = Findings::of(recorded);
    let _ = report::markdown(&findings, &[]);
    let _ = tables::csv(&findings);
    let _ = report::summary_files(&findings.summary, &findings.recorded.config.strategy);
    for row in findings.others() {
        let _ = narrative::verdict(&findings, row);
    }
    let _ = Comparison::of(&findings, &findings, 0.05).map(|comparison| comparison.is_worse());
}

fn full_report(input: &[u8]) {
    let folder = folder(input);
    let _ =
        report::report(std::slice::from_ref(&folder), &folder).map_err(|error| error.to_string());
}
