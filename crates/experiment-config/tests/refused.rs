//! Configs that are refused before anything is opened: impossible values, unprintable text, and long or odd input.

use std::path::Path;

use padwise_experiment_config::{ConfigError, MAX_CONFIG_BYTES, read, read_text};
use padwise_sampler::excerpt::is_unprintable;

const CONFIG: &str = r#"
name = "a"
[corpus.synthetic]
utterances = 100
[[strategy]]
name = "one"
line = "random"
"#;

/// The error of a config with an override.
fn refused(set: &str) -> String {
    match read_text(CONFIG, Path::new("a.toml"), &[set.to_owned()]) {
        Ok(_) => panic!("{set} was accepted"),
        Err(error) => error.to_string(),
    }
}

/// The error of a text.
fn refused_text(text: &str) -> ConfigError {
    read_text(text, Path::new("a.toml"), &[]).expect_err("an invalid config")
}

#[test]
fn the_config_is_valid() {
    read_text(CONFIG, Path::new("a.toml"), &[]).expect("a config");
}

#[test]
fn impossible_values_are_refused() {
    for set in [
        "train.divergence=inf",
        "train.divergence=nan",
        "train.divergence=1.0",
        "train.epochs=0",
        "train.epochs=9223372036854775807",
        "train.batch-size=0",
        "train.batch-size=4294967295",
        "train.seeds=[]",
        "train.seeds=[1, 2, 1]",
        "train.learning-rate=0.0",
        "train.learning-rate=-1.0",
        "train.learning-rate=inf",
        "train.learning-rate=nan",
        "train.clip-norm=inf",
        "train.clip-norm=0.0",
        "train.stop-minutes=inf",
        "train.stop-minutes=nan",
        "train.stop-loss=inf",
        "train.loader-threads=1000000",
        "train.schedule={ step = { every = 0, factor = 0.5 } }",
        "train.schedule={ step = { every = 1, factor = inf } }",
        "train.schedule={ plateau = { improvement = -0.1, factor = 0.5 } }",
        "train.schedule={ plateau = { improvement = nan, factor = 0.5 } }",
        "train.schedule={ plateau = { improvement = 0.01, factor = 1.0 } }",
        "model.layers=0",
        "model.hidden=0",
        "model.layers=1001",
        "model.hidden=9223372036854775807",
        "model.dropout=1.0",
        "model.dropout=nan",
        "measure.validation-batch=4294967295",
        "measure.validation-batch=0",
        "measure.validate-every=0",
        "measure.validate-every=9223372036854775807",
        "measure.warm-up-steps=4000000000",
        "measure.target-loss=inf",
        "measure.target-loss=nan",
        "corpus.validation={ share = nan }",
        "corpus.validation={ share = 1.0 }",
        "corpus.validation={ fresh = 0 }",
        "corpus.validation={ fresh = 9223372036854775807 }",
        "corpus.states=thirds",
        "corpus.states={ tied = 1500 }",
        "corpus.states={ tied = 0 }",
        "corpus.states={ tied = 65536 }",
        "corpus.states=triphones",
        "corpus.synthetic.utterances=0",
        "corpus.synthetic.dims=0",
        "corpus.synthetic.speakers=0",
        "corpus.synthetic.noise=nan",
        "strategy.0.line=sorted,batch=0",
        "strategy.0.line=semi-sorted:lrf=nan",
        "strategy.0.paper={ zpr-percent = nan }",
        "strategy.0.paper={ speed-up = inf }",
    ] {
        let message = refused(set);
        assert!(message.contains(": "), "{message}");
        assert!(!message.contains('\u{1b}'), "{message}");
    }
    insta::assert_snapshot!(refused("train.divergence=inf"), @"--set train.divergence=inf: divergence is inf: it must be finite and above 1 (10 stops a run whose loss exceeds 10 times its first loss)");
    insta::assert_snapshot!(refused("train.schedule={ plateau = { improvement = 1, factor = 0.5 } }"), @"--set train.schedule={ plateau = { improvement = 1, factor = 0.5 } }: improvement is 1: give a share from 0 to below 1, for example 0.01");
    insta::assert_snapshot!(refused("measure.validation-batch=4294967295"), @"--set measure.validation-batch=4294967295: validation-batch is 4294967295: it must be at most 1000000");
}

/// Each dimension is valid by itself, and the model is still too large.
#[test]
fn a_model_larger_than_64_gb_is_refused_with_its_line() {
    let text = CONFIG.replace(
        "[[strategy]]",
        "[model]\nlayers = 100\nhidden = 60000\n[[strategy]]",
    );
    insta::assert_snapshot!(refused_text(&text), @"
    a.toml:7: hidden is 60000: 100 layers of this size need about 34329 GB for their parameters, and the limit is 64 GB; use fewer layers or units
      |
    7 | hidden = 60000
      |          ^^^^^
    ");
}

#[test]
fn patience_that_ends_before_the_next_validation_is_refused() {
    let text = CONFIG.replace(
        "[[strategy]]",
        "[train]\npatience = 2\n[measure]\nvalidate-every = 3\n[[strategy]]",
    );
    insta::assert_snapshot!(refused_text(&text), @"
    a.toml:6: patience is 2, but measure.validate-every is 3, so a run would stop before its next validation: use at least 3
      |
    6 | patience = 2
      |            ^
    ");
}

#[test]
fn too_many_seeds_are_refused() {
    let seeds: Vec<String> = (0..10_001).map(|seed| seed.to_string()).collect();
    let message = refused(&format!("train.seeds=[{}]", seeds.join(",")));
    assert!(
        message.contains("10001 seeds: use at most 10000"),
        "{message}"
    );
    assert!(message.len() < 1000);
}

#[test]
fn names_and_titles_have_no_unprintable_characters() {
    for character in [
        '\u{1b}',
        '\u{7f}',
        '\u{9b}',
        '\t',
        '\n',
        '\u{202a}',
        '\u{202e}',
        '\u{2066}',
        '\u{2069}',
        '\u{200e}',
        '\u{200f}',
        '\u{61c}',
        '\u{200b}',
        '\u{feff}',
        '\u{ad}',
        '\u{e0041}',
    ] {
        assert!(is_unprintable(character));
        let escaped = format!("\\U{:08X}", u32::from(character));
        for (from, to) in [
            ("name = \"a\"", format!("name = \"a{escaped}b\"")),
            (
                "name = \"a\"",
                format!("name = \"a\"\ntitle = \"a{escaped}b\""),
            ),
            ("name = \"one\"", format!("name = \"a{escaped}b\"")),
            (
                "line = \"random\"",
                format!("line = \"random{escaped},batch=2\""),
            ),
            (
                "[corpus.synthetic]\nutterances = 100",
                format!("[corpus]\npack = \"a{escaped}b.pack\""),
            ),
            (
                "[[strategy]]",
                format!("[corpus.validation]\npack = \"a{escaped}b.pack\"\n[[strategy]]"),
            ),
            (
                "[[strategy]]",
                format!("[measure]\nbaseline = \"a{escaped}b\"\n[[strategy]]"),
            ),
        ] {
            let message = refused_text(&CONFIG.replacen(from, &to, 1)).to_string();
            let shown = message.replace('\n', "");
            assert!(!shown.contains(is_unprintable), "{shown:?}");
        }
    }
    let reversed = CONFIG.replace("\"one\"", "\"\\u202Eeno\"");
    insta::assert_snapshot!(refused_text(&reversed), @r#"
    a.toml:6: name contains the unprintable character U+202E: it must be text on one line, without control or invisible characters
      |
    6 | name = "\u202Eeno"
      |        ^^^^^^^^^^^
    "#);
}

#[test]
fn the_name_is_a_plain_file_name() {
    for name in [
        "", ".", "..", "a/b", "/a", "a\\b", ".hidden", "-o", "a b", "é",
    ] {
        let text = CONFIG.replace("name = \"a\"", &format!("name = '{name}'"));
        let config = read_text(&text, Path::new("/"), &[]);
        assert!(config.is_err(), "{name}");
    }
    let long = CONFIG.replace("name = \"a\"", &format!("name = '{}'", "a".repeat(101)));
    let message = refused_text(&long).to_string();
    assert!(message.contains("up to 100 letters"), "{message}");
    let title = format!("name = 'a'\ntitle = '{}'", "a".repeat(201));
    let message = refused_text(&CONFIG.replace("name = \"a\"", &title)).to_string();
    assert!(
        message.contains("title is longer than 200 characters"),
        "{message}"
    );
}

/// A message never repeats a long line or an escape sequence.
#[test]
fn messages_quote_an_excerpt_of_the_input() {
    let long = "x".repeat(100_000);
    for text in [
        format!("{CONFIG}{long} = 1"),
        format!("{CONFIG}[{long}]"),
        format!("{CONFIG}order = \"{long}\""),
        CONFIG.replace("\"one\"", &format!("\"{long}\"")),
        CONFIG.replace("\"random\"", &format!("\"{long}\"")),
        CONFIG.replace("= 100", &format!("= \"{long}\"")),
        CONFIG.replace("\"a\"", &format!("\"{long}\"")),
        CONFIG.replace("\"a\"", &format!("\"a\" {long}")),
        format!("{long}{long}"),
        format!("a = \"\u{1b}[2J\"\n{CONFIG}"),
        format!("\u{202e}{CONFIG}"),
    ] {
        let message = refused_text(&text).to_string();
        assert!(
            message.len() < 2500,
            "{} bytes: {:.300}",
            message.len(),
            message
        );
        let one_line = message.replace('\n', "");
        assert!(!one_line.contains(is_unprintable), "{message:?}");
    }
    for set in [
        long.clone(),
        format!("{long}=1"),
        format!("train.epochs={long}"),
        format!("train.{long}.a=1"),
        format!("strategy.{long}.line=random"),
        format!("name.a={long}"),
        format!("strategy.0.line={long}"),
        format!("measure.baseline={long}"),
        "train.\u{1b}[2J=1".to_owned(),
    ] {
        let message = refused(&set);
        assert!(
            message.len() < 2500,
            "{} bytes: {:.300}",
            message.len(),
            message
        );
        assert!(!message.contains(is_unprintable), "{message:?}");
    }
}

#[test]
fn the_marks_stay_below_the_value_in_a_long_line() {
    let text = format!(
        "{}{}",
        CONFIG,
        format_args!(
            "batching = {{ fixed = {{ {}size = 0, sise = 1 }} }}",
            " ".repeat(300)
        )
    );
    let error = refused_text(&text).to_string();
    let lines: Vec<&str> = error.lines().rev().take(2).collect();
    let at = |text: &str, what: &str| text.find(what).map(|at| text[..at].chars().count());
    assert_eq!(at(lines[0], "^"), at(lines[1], "sise"), "{error}");
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.toml");
    let padding = "#".repeat(MAX_CONFIG_BYTES as usize);
    std::fs::write(&path, format!("{padding}{CONFIG}")).expect("writable");
    let error = read(&path, &[]).expect_err("a large file");
    let source = std::error::Error::source(&error).map(ToString::to_string);
    let source = source.unwrap_or_default();
    assert!(source.contains("at most 1048576 are supported"), "{source}");
}

#[test]
fn states_are_checked_and_written() {
    let packed = CONFIG.replace(
        "[corpus.synthetic]\nutterances = 100",
        "[corpus]\npack = \"a.pack\"",
    );
    let path = Path::new("a.toml");
    let with = |set: &str| read_text(&packed, path, &[set.to_owned()]);
    for (set, line) in [
        ("corpus.states=thirds", "states = \"thirds\""),
        ("corpus.states={ tied = 1500 }", "tied = 1500"),
    ] {
        let written = with(set).expect("a config").to_toml().expect("TOML");
        assert!(written.contains(line), "{written}");
        read_text(&written, path, &[]).expect("a written config");
    }
    // The default is not written, so configs of earlier versions resume.
    let written = with("corpus.states=phones").expect("a config").to_toml();
    assert!(!written.expect("TOML").contains("states"));
    let error = with("corpus.states={ tied = 65536 }").expect_err("too many states");
    let error = error.to_string();
    assert!(
        error.contains("tied is 65536: it must be at most 65535"),
        "{error}"
    );
    let error = refused("corpus.states=thirds");
    assert!(
        error.contains("a synthetic corpus has its own states"),
        "{error}"
    );
}
