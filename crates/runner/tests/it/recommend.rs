//! `padwise recommend` and `padwise bench cost`: what they print, and whether statements about accuracy match the records.

use std::collections::BTreeMap;
use std::path::Path;

use padwise_recommend::evidence::{ALL, Measure, Source, Verdict};
use padwise_report::findings::Findings;
use padwise_report::record::Recorded;
use padwise_report::statistics::Change;
use padwise_sampler::{Profile, Sampler};
use serde_json::Value;

use crate::common::{TINY, fails_with_usage, padwise, succeeds, write};

#[test]
fn a_recommendation_in_words() {
    insta::assert_snapshot!(succeeds(&[
        "recommend",
        "--profile",
        "librispeech",
        "--device",
        "cpu"
    ]));
}

#[test]
fn all_formats_name_the_same_strategy() {
    let args = [
        "recommend",
        "--profile",
        "ljspeech",
        "--device",
        "cpu",
        "--format",
    ];
    let json = succeeds(&[&args[..], &["json"]].concat());
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let index = json["recommended"].as_u64().expect("an index") as usize;
    let best = &json["predictions"][index];
    assert_eq!(best["strategy"], json["advice"]["line"]);
    for key in [
        "epoch_seconds",
        "peak_bytes",
        "padding",
        "steps",
        "randomness",
        "evidence",
    ] {
        assert!(!best[key].is_null(), "{key}");
    }
    let markdown = succeeds(&[&args[..], &["markdown"]].concat());
    let line = best["strategy"].as_str().expect("text");
    assert!(
        markdown.starts_with(&format!("**Use `{line}`")),
        "{markdown}"
    );
}

/// The config excerpt can be pasted into a config.
#[test]
fn the_config_excerpt_can_be_run() {
    let json = succeeds(&[
        "recommend",
        "--profile",
        "chime4",
        "--device",
        "cpu",
        "--format",
        "json",
    ]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let excerpt = json["advice"]["toml"].as_str().expect("text");
    let start = TINY
        .find("[[strategy]]")
        .expect("the tiny config has strategies");
    let folder = tempfile::tempdir().expect("a folder");
    let config = write(
        &folder,
        "pasted.toml",
        &(TINY[..start].to_owned() + excerpt),
    );
    succeeds(&["run", &config, "--check"]);
}

#[test]
fn a_config_gives_corpus_model_and_batch_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = write(&folder, "tiny.toml", TINY);
    let printed = succeeds(&["recommend", &config, "--device", "cpu"]);
    assert!(printed.contains("training set of "), "{printed}");
    let said = fails_with_usage(&["recommend", &config, "--column", "frames"]);
    assert!(said.contains("a config has no columns"), "{said}");
}

#[test]
fn wrong_arguments_name_the_remedy() {
    let base = ["recommend", "--profile", "ljspeech", "--utterances", "100"];
    let said = |more: &[&str]| fails_with_usage(&[&base[..], more].concat());
    insta::assert_snapshot!(said(&["--device", "abacus"]).trim_end(), @"padwise: cannot use --device: unknown device profile `abacus`: use h200, cpu, or a file that `padwise bench cost --out FILE.json` wrote");
    insta::assert_snapshot!(said(&["--device", "missing.json"]).trim_end(), @"padwise: cannot use --device: missing.json: No such file or directory (os error 2)");
    let little = said(&["--device", "cpu", "--memory", "1MB"]);
    assert!(little.contains("use a smaller model"), "{little}");
    assert!(said(&["--memory", "16"]).contains("for example 16GB"));
    assert!(said(&["--min-randomness", "2"]).contains("from 0 to 1"));
    let folder = tempfile::tempdir().expect("a folder");
    let damaged = write(&folder, "damaged.json", "{}");
    assert!(said(&["--device", &damaged]).contains("padwise bench cost"));
}

#[test]
fn a_plot_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let stem = folder.path().join("plot").display().to_string();
    succeeds(&[
        "recommend",
        "--profile",
        "ljspeech",
        "--utterances",
        "500",
        "--device",
        "cpu",
        "--plot",
        &stem,
    ]);
    for kind in ["svg", "png"] {
        assert!(Path::new(&format!("{stem}.{kind}")).is_file(), "{kind}");
    }
}

/// A measured profile predicts the epochs of a record, and `recommend` finds it.
#[test]
fn a_measured_profile_can_be_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| {
        let mut command = padwise();
        command.env("XDG_CACHE_HOME", folder.path().join("cache"));
        let assert = command.args(args).assert().success();
        String::from_utf8(assert.get_output().stdout.clone()).expect("text")
    };
    let config = write(&folder, "tiny.toml", TINY);
    let profile = folder.path().join("profile.json").display().to_string();
    let printed = run(&[
        "bench",
        "cost",
        &config,
        "--seconds",
        "1",
        "--out",
        &profile,
    ]);
    assert!(printed.contains("Largest error of the time"), "{printed}");
    let model = printed.lines().next().expect("the device and model");
    for args in [
        vec!["recommend", &config],
        vec!["recommend", "--profile", "ljspeech"],
        vec!["recommend", "--profile", "ljspeech", "--device", &profile],
    ] {
        let printed = run(&args);
        assert!(printed.contains(model), "{args:?}: {printed}");
    }
    let results = folder.path().join("results/tiny").display().to_string();
    run(&["run", &config, "--out", &results]);
    let checked = run(&[
        "bench",
        "cost",
        "--profile",
        &profile,
        "--check",
        &results,
        "--format",
        "json",
    ]);
    let names = checked.lines().map(|line| {
        let row: Value = serde_json::from_str(line).expect("JSON");
        assert!(row["predicted_seconds"].as_f64() > Some(0.0), "{line}");
        row["strategy"].as_str().unwrap_or_default().to_owned()
    });
    assert_eq!(names.collect::<Vec<_>>(), ["random", "sorted"]);
}

/// Every statement about accuracy is what its records say.
#[test]
fn statements_about_accuracy_match_the_records() {
    let mut records = BTreeMap::new();
    for evidence in ALL {
        for source in evidence.sources {
            let findings = records
                .entry(source.record)
                .or_insert_with(|| findings_of(source.record));
            let change = change_of(source, findings);
            let is_worse = change
                .is_significant()
                .map(|is_significant| is_significant && change.estimate > 0.0);
            if source.record == "study" && evidence.statement.contains("half a point") {
                assert!(change.is_below(0.5), "{source:?}: {}", evidence.statement);
            }
            match evidence.verdict {
                Verdict::NoDifference => {
                    assert_eq!(is_worse, Some(false), "{source:?}: {}", evidence.statement);
                }
                // What is said of an untested strategy is said of a related one that was worse.
                Verdict::Worse | Verdict::Untested => {
                    assert_eq!(is_worse, Some(true), "{source:?}: {}", evidence.statement);
                }
                Verdict::Baseline => unreachable!("the baseline has no sources"),
            }
        }
    }
}

fn findings_of(record: &str) -> Findings {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    Findings::of(Recorded::open(&results.join(record)).expect("a record"))
}

/// The difference from random batches that a source names.
fn change_of(source: &Source, findings: &Findings) -> Change {
    let row = findings
        .row(source.strategy)
        .unwrap_or_else(|| panic!("{source:?} is no row"));
    let change = match source.measure {
        Measure::ValidationLoss => findings.rows[row].loss,
        Measure::PhoneErrors | Measure::WordErrors => {
            let has_words = !findings.recorded.words.utterances.is_empty();
            assert_eq!(has_words, source.measure == Measure::WordErrors);
            findings.rows[row].errors
        }
    };
    change.unwrap_or_else(|| panic!("{source:?} was not compared"))
}

/// In a record, no strategy that is at least as random as the recommended one is more than 3 % faster.
#[test]
fn the_recommended_strategy_is_the_fastest_of_its_randomness() {
    for (record, profile, utterances) in [
        ("ge-table2-ljspeech", Profile::LjSpeech, 10_480),
        ("ge-table2-librispeech", Profile::LibriSpeech, 2_276),
    ] {
        is_the_fastest_of_its_randomness(record, profile, utterances);
    }
}

fn is_the_fastest_of_its_randomness(record: &str, profile: Profile, utterances: usize) {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let recorded = Recorded::open(&results.join(record)).expect("a record");
    let findings = Findings::of(recorded);
    let lengths = profile.lengths(utterances);
    let randomness = |row: usize| {
        let strategy = findings.recorded.config.strategy[row].strategy.clone();
        let sampler = Sampler::new(strategy, 1).expect("a strategy");
        let [first, second] = [0, 1].map(|epoch| sampler.plan(&lengths, epoch).expect("a plan"));
        1.0 - padwise_sampler::pair_recurrence(&first, &second).expect("pairs")
    };
    let folder = tempfile::tempdir().expect("a folder");
    let numbers: Vec<String> = lengths.iter().map(u32::to_string).collect();
    let file = write(&folder, "lengths.txt", &numbers.join("\n"));
    let json = succeeds(&["recommend", &file, "--device", "h200", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let line = json["advice"]["line"].as_str().expect("text");
    let rows = &findings.recorded.config.strategy;
    let recommended = rows.iter().position(|row| row.strategy.to_string() == line);
    let recommended = recommended.expect("the record has the recommended strategy");
    let speed = |row: usize| findings.rows[row].speed.map_or(1.0, |speed| speed.estimate);
    for row in 0..findings.rows.len() {
        if randomness(row) >= randomness(recommended) {
            let (name, most) = (findings.name(row), 1.03 * speed(recommended));
            assert!(
                speed(row) <= most,
                "{record}, {name}: {} > {most}",
                speed(row)
            );
        }
    }
}
