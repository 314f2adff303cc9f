//! Overrides that replace alternatives, validation speakers, and the config with every default.

use std::path::Path;

use padwise_experiment_config::{ExperimentConfig, HeldOutSet, HeldOutSpeakers, read_text, schema};
use padwise_model_config::Schedule;

const CONFIG: &str = r#"
[corpus]
pack = "a.pack"
validation = { speakers = 6 }
[train]
schedule = "constant"
[[strategy]]
line = "random"
"#;

fn read(text: &str, sets: &[&str]) -> ExperimentConfig {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    read_text(text, Path::new("a.toml"), &sets).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn an_override_of_one_validation_set_replaces_the_other() {
    let validation = |sets: &[&str]| read(CONFIG, sets).corpus.validation;
    let share = "corpus.validation.share=0.2";
    assert_eq!(validation(&[share]), HeldOutSet::Share(0.2));
    let pack = HeldOutSet::Pack("b.pack".into());
    assert_eq!(validation(&["corpus.validation.pack=b.pack"]), pack);
    let three = HeldOutSet::Speakers(HeldOutSpeakers::Count(3));
    let sets = [share, "corpus.validation.speakers=3"];
    assert_eq!(validation(&sets), three);
}

#[test]
fn an_override_of_one_corpus_replaces_the_other() {
    let corpus = read(CONFIG, &["corpus.packs=[\"b.pack\", \"c.pack\"]"]).corpus;
    assert_eq!((corpus.pack, corpus.packs.len()), (None, 2));
    // The validation set is not one of the alternatives.
    assert_eq!(corpus.validation, read(CONFIG, &[]).corpus.validation);
    let corpus = read(CONFIG, &["corpus.synthetic.utterances=10"]).corpus;
    assert_eq!(corpus.pack, None);
    assert_eq!(
        corpus.synthetic.map(|synthetic| synthetic.utterances),
        Some(10)
    );
    let back = ["corpus.synthetic.utterances=10", "corpus.pack=d.pack"];
    let corpus = read(CONFIG, &back).corpus;
    assert_eq!(
        (corpus.pack, corpus.synthetic),
        (Some("d.pack".into()), None)
    );
}

#[test]
fn an_override_of_a_schedule_replaces_the_other() {
    let schedule = |text: &str, sets: &[&str]| read(text, sets).train.schedule;
    let sets = ["train.schedule.step={ every = 2, factor = 0.5 }"];
    let step = Schedule::Step {
        every: 2,
        factor: 0.5,
    };
    assert_eq!(schedule(CONFIG, &sets), step);
    // Values of the same alternative stay.
    let text = CONFIG.replace("\"constant\"", "{ step = { every = 9, factor = 0.5 } }");
    assert_eq!(schedule(&text, &["train.schedule.step.every=2"]), step);
    let plateau = ["train.schedule.plateau={ improvement = 0.01, factor = 0.5 }"];
    assert!(matches!(
        schedule(&text, &plateau),
        Schedule::Plateau { .. }
    ));
    let constant = schedule(&text, &["train.schedule=constant"]);
    assert_eq!(constant, Schedule::Constant);
}

#[test]
fn validation_speakers_have_a_number_or_names() {
    let text = CONFIG.replace("= 6", "= [\"anna\", \"ben\"]");
    let config = read(&text, &[]);
    let names = HeldOutSpeakers::Named(vec!["anna".into(), "ben".into()]);
    assert_eq!(config.corpus.validation, HeldOutSet::Speakers(names));
    let written = config.to_toml().expect("TOML");
    assert!(
        written.contains("speakers = [\"anna\", \"ben\"]"),
        "{written}"
    );
    assert_eq!(read(&written, &[]), config);
    let refused = |value: &str| {
        let text = CONFIG.replace("= 6", &format!("= {value}"));
        let error = read_text(&text, Path::new("a.toml"), &[]).expect_err(value);
        error
            .to_string()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let values = [
        "\"anna\"",
        "-1",
        "0",
        "1.5",
        "[]",
        "[1]",
        "[\"a\", \"a\"]",
        "[\"\\u202E\"]",
    ];
    insta::assert_snapshot!(values.map(refused).join("\n"), @r#"
    a.toml:4: invalid type: string "anna", expected a number of speakers or a list of their names
    a.toml:4: invalid value: integer `-1`, expected a number of speakers or a list of their names
    a.toml:4: the validation set is empty: set at least 1
    a.toml:4: invalid type: floating point `1.5`, expected a number of speakers or a list of their names
    a.toml:4: the validation set is empty: name at least one speaker
    a.toml:4: invalid type: integer `1`, expected text in quotes
    a.toml:4: duplicate speaker `a`: name every speaker once
    a.toml:4: speakers contains the unprintable character U+202E: it must be text on one line, without control or invisible characters
    "#);
}

/// Every key is set or has a comment, and the text reads back to the same experiment.
#[test]
fn the_complete_config_has_every_key_and_reads_back() {
    let adadelta = CONFIG.replace("[train]", "[train]\noptimiser = \"adadelta\"");
    let synthetic = CONFIG.replace("pack = \"a.pack\"", "synthetic = { utterances = 9 }");
    for text in [CONFIG, &adadelta, &synthetic] {
        let config = read(text, &[]);
        let printed = config.to_complete_toml().expect("TOML");
        let again = read(&printed, &[]);
        assert_eq!(again.to_complete_toml().expect("TOML"), printed);
        assert_eq!(again.trainer(8, 9, 1), config.trainer(8, 9, 1));
        assert_eq!(
            again.keeps_corpus_in_memory(),
            config.keeps_corpus_in_memory()
        );
        let with_effective = |mut config: ExperimentConfig| {
            config.train.learning_rate = None;
            config.features.in_memory = None;
            config
        };
        assert_eq!(with_effective(again), with_effective(config));
        let schema: serde_json::Value = serde_json::from_str(&schema()).expect("JSON");
        for table in ["features", "model", "train", "measure"] {
            let keys = schema["properties"][table]["properties"].as_object();
            for key in keys.expect(table).keys() {
                let has = |start: String| printed.lines().any(|line| line.starts_with(&start));
                let listed = has(format!("{key} = ")) || has(format!("# {key}: "));
                assert!(listed, "{table}.{key}\n{printed}");
            }
        }
        let rate = if text == adadelta { "1.0" } else { "0.001" };
        for line in [
            format!("learning-rate = {rate}"),
            format!("in-memory = {}", text == synthetic),
            "# clip-norm: no clipping".into(),
            "# title: none".into(),
        ] {
            assert!(
                printed.lines().any(|printed| printed == line),
                "{line}\n{printed}"
            );
        }
    }
}
