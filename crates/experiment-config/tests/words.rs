//! The table `[measure.words]` and the test set.

use std::path::Path;

use padwise_experiment_config::{
    BEAM_PER_LM_SCALE, ExperimentConfig, HeldOutSet, HeldOutSpeakers, WordsConfig, read_text,
    reference,
};

const CONFIG: &str = r#"
[corpus]
pack = "a.pack"
validation = { speakers = ["anna", "ben"] }
test = { speakers = 6 }
[measure.words]
lexicon = "lexicon.txt.gz"
language-model = "trigram.arpa.gz"
[[strategy]]
line = "random"
"#;

fn read(text: &str, sets: &[&str]) -> ExperimentConfig {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    read_text(text, Path::new("a.toml"), &sets).unwrap_or_else(|error| panic!("{error}"))
}

/// The error of a text.
fn refused(text: &str) -> String {
    let error = read_text(text, Path::new("a.toml"), &[]).expect_err(text);
    error.to_string()
}

/// The first line of the error of a config in which `from` is replaced.
fn replaced(from: &str, to: &str) -> String {
    let message = refused(&CONFIG.replace(from, to));
    message.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn only_the_files_are_required_and_the_rest_has_defaults() {
    let config = read(CONFIG, &[]);
    let words = config.measure.words.clone().expect("words");
    let expected = WordsConfig {
        lexicon: Some("lexicon.txt.gz".into()),
        ..WordsConfig::new("trigram.arpa.gz")
    };
    assert_eq!(words, expected);
    assert_eq!(words.beam(2.0), 2.0 * BEAM_PER_LM_SCALE);
    assert_eq!(
        WordsConfig {
            beam: Some(9.0),
            ..words
        }
        .beam(2.0),
        9.0
    );
    let six = HeldOutSet::Speakers(HeldOutSpeakers::Count(6));
    assert_eq!(config.corpus.test, Some(six));
    assert_eq!(read(&config.to_toml().expect("TOML"), &[]), config);
    let page = reference();
    for row in [
        "## `[measure.words]`",
        "14 × `lm-scale`",
        "| `language-model` | text | required |",
        "| `word-penalty` | number ≥ -100.0, ≤ 100.0 | `0.0` |",
    ] {
        assert!(page.contains(row), "{row}\n{page}");
    }
    assert_eq!(BEAM_PER_LM_SCALE, 14.0, "the description says so");
}

#[test]
fn the_complete_config_lists_the_keys_of_the_table() {
    let config = read(CONFIG, &[]);
    let printed = config.to_complete_toml().expect("TOML");
    let table = printed.split("[measure.words]\n").nth(1).expect(&printed);
    let table = table.split("\n\n").next().unwrap_or_default();
    insta::assert_snapshot!(table, @r#"
    lexicon = "lexicon.txt.gz"
    language-model = "trigram.arpa.gz"
    word-penalty = 0.0
    prior-scale = 1.0
    max-active = 3000
    keep-posteriors = false
    max-lm-gb = 4.0
    # lm-scale: tuned on the validation set with the first run, then the same for all runs
    # beam: 14 × lm-scale
    "#);
    assert_eq!(read(&printed, &[]).measure, config.measure);
    let without = CONFIG.replace("test = { speakers = 6 }\n", "").replace(
        "[measure.words]\nlexicon = \"lexicon.txt.gz\"\nlanguage-model = \"trigram.arpa.gz\"\n",
        "",
    );
    let printed = read(&without, &[]).to_complete_toml().expect("TOML");
    assert!(printed.contains("\n# words: none\n"), "{printed}");
}

#[test]
fn an_override_of_one_test_set_replaces_the_other() {
    let test = |set: &str| read(CONFIG, &[set]).corpus.test;
    let packs = HeldOutSet::Packs(vec!["b.pack".into(), "c.pack".into()]);
    assert_eq!(
        test("corpus.test.packs=[\"b.pack\", \"c.pack\"]"),
        Some(packs)
    );
    assert_eq!(test("corpus.test.share=0.1"), Some(HeldOutSet::Share(0.1)));
}

#[test]
fn impossible_values_are_refused_with_their_line() {
    let after = |line: &str| {
        let text = format!("language-model = \"trigram.arpa.gz\"\n{line}");
        replaced("language-model = \"trigram.arpa.gz\"", &text)
    };
    let messages = [
        "lm-scale = 0.0",
        "lm-scale = 101.0",
        "lm-scale = nan",
        "beam = 0.0",
        "beam = inf",
        "word-penalty = -101.0",
        "word-penalty = nan",
        "prior-scale = 2.5",
        "prior-scale = -0.1",
        "max-active = 0",
        "max-lm-gb = 0.0",
        "max-lm-gb = 1e9",
        "keep-posteriors = 1",
        "lm-weight = 1.0",
    ]
    .map(after);
    insta::assert_snapshot!(messages.join("\n"), @r#"
    a.toml:9: lm-scale is 0: it must be finite and above 0; remove it to tune it
    a.toml:9: lm-scale is 101: it must be at most 100
    a.toml:9: lm-scale is NaN: it must be finite and above 0; remove it to tune it
    a.toml:9: beam is 0: it must be finite and above 0; remove it to derive it from lm-scale
    a.toml:9: beam is inf: it must be finite and above 0; remove it to derive it from lm-scale
    a.toml:9: word-penalty is -101: it must be at least -100
    a.toml:9: word-penalty is NaN: it must be from -100 to 100
    a.toml:9: prior-scale is 2.5: it must be at most 2
    a.toml:9: prior-scale is -0.1: it must be at least 0
    a.toml:9: max-active is 0: it must be at least 1
    a.toml:9: max-lm-gb is 0: it must be finite and above 0
    a.toml:9: max-lm-gb is 1000000000: it must be at most 1024
    a.toml:9: invalid type: integer `1`, expected a boolean
    a.toml:9: unknown key `lm-weight`, expected one of `lexicon`, `language-model`, `lm-scale`, `beam`, `word-penalty`, `prior-scale`, `max-active`, `keep-posteriors`, `max-lm-gb`
    "#);
}

#[test]
fn missing_and_unprintable_paths_are_refused() {
    let messages = [
        replaced("lexicon = \"lexicon.txt.gz\"\n", ""),
        replaced("language-model = \"trigram.arpa.gz\"\n", ""),
        replaced("lexicon.txt.gz", "a\\u202Eb"),
        replaced("trigram.arpa.gz", "a\\u202Eb"),
        replaced("speakers = 6", "pack = \"a\\u202Eb\""),
        replaced("speakers = 6", "packs = [\"b.pack\", \"a\\u202Eb\"]"),
    ];
    insta::assert_snapshot!(messages.join("\n"), @r#"
    a.toml:6: lexicon is missing: set the path of a pronunciation lexicon; only CTC on characters needs none
    a.toml:6: missing key `language-model`
    a.toml:7: path `a\u{202e}b` contains an unprintable character: rename the file
    a.toml:8: path `a\u{202e}b` contains an unprintable character: rename the file
    a.toml:5: path `a\u{202e}b` contains an unprintable character: rename the file
    a.toml:5: path `a\u{202e}b` contains an unprintable character: rename the file
    "#);
    // CTC may spell words.
    read(
        &CONFIG.replace("lexicon = \"lexicon.txt.gz\"\n", ""),
        &["train.objective=ctc"],
    );
}

#[test]
fn test_sets_that_are_empty_or_used_elsewhere_are_refused() {
    let messages = [
        "speakers = 0",
        "speakers = []",
        "speakers = [\"carl\", \"ben\"]",
        "share = 1.0",
        "fresh = 5",
        "packs = []",
        "pack = \"a.pack\"",
        "utterances = 5",
    ]
    .map(|set| replaced("speakers = 6", set));
    insta::assert_snapshot!(messages.join("\n"), @r#"
    a.toml:5: the test set is empty: set at least 1
    a.toml:5: the test set is empty: name at least one speaker
    a.toml:5: speaker `ben` is also a validation speaker: name different speakers
    a.toml:5: share is 1: it must be above 0 and below 1 (the fraction of utterances kept for test)
    a.toml:5: `fresh` needs a synthetic corpus: use `share`, `speakers` or `pack`
    a.toml:5: the test set is empty: name at least one pack
    a.toml:5: `a.pack` is also used for training: use another pack
    a.toml:5: unknown value `utterances`, expected one of `share`, `speakers`, `fresh`, `pack`, `packs`
    "#);
    let both = CONFIG
        .replace(
            "validation = { speakers = [\"anna\", \"ben\"] }",
            "validation = { pack = \"b.pack\" }",
        )
        .replace("speakers = 6", "packs = [\"c.pack\", \"b.pack\"]");
    insta::assert_snapshot!(refused(&both), @r#"
    a.toml:5: `b.pack` is also used for validation: use another pack
      |
    5 | test = { packs = ["c.pack", "b.pack"] }
      |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#);
}

#[test]
fn a_test_set_needs_the_table_that_uses_it() {
    let text = CONFIG.replace(
        "[measure.words]\nlexicon = \"lexicon.txt.gz\"\nlanguage-model = \"trigram.arpa.gz\"\n",
        "",
    );
    insta::assert_snapshot!(refused(&text.replace("speakers = 6", "pack = \"c.pack\"")), @r#"
    a.toml:5: this test set is used only for word error rates: add the table [measure.words], or remove `test`
      |
    5 | test = { pack = "c.pack" }
      |        ^^^^^^^^^^^^^^^^^^^
    "#);
}
