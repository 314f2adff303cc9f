//! Error messages of the synthetic corpus.

use padwise_features::{Synthetic, SyntheticConfig, SyntheticError};

#[test]
fn invalid_settings_are_errors() {
    let config = SyntheticConfig::default();
    let errors = [
        SyntheticConfig {
            utterances: 0,
            ..config.clone()
        },
        SyntheticConfig {
            dims: 0,
            ..config.clone()
        },
        SyntheticConfig {
            dims: 100_000,
            ..config.clone()
        },
        SyntheticConfig {
            classes: 41,
            ..config.clone()
        },
        SyntheticConfig {
            classes: 1_000_000,
            ..config.clone()
        },
        SyntheticConfig {
            speakers: 0,
            ..config.clone()
        },
        SyntheticConfig {
            noise: -1.0,
            ..config.clone()
        },
        SyntheticConfig {
            noise: f32::NAN,
            ..config
        },
    ]
    .map(|config| Synthetic::new(config).expect_err("an error").to_string());
    insta::assert_snapshot!(errors.join("\n"), @r"
        utterances is 0: it must be from 1 to 100000000
        dims is 0: it must be from 1 to 1024 (default 16)
        dims is 100000: it must be from 1 to 1024 (default 16)
        classes is 41: it must be at least 123, three states for each phone and for silence (default 1500)
        classes is 1000000: it must be at most 192003, the number of states in context (default 1500)
        speakers is 0: it must be from 1 to 1000000
        noise is -1: it must be from 0 (none) to 100 (default 1)
        noise is NaN: it must be from 0 (none) to 100 (default 1)
        ");
}

#[test]
fn config_errors_name_the_setting() {
    let config = SyntheticConfig {
        classes: 1,
        ..SyntheticConfig::default()
    };
    let error = config.validate().expect_err("too few classes");
    assert_eq!(error.key(), Some("classes"));
    let corpus = Synthetic::new(SyntheticConfig::default()).expect("a legal config");
    let past_the_end = corpus.generate(usize::MAX).expect_err("no such utterance");
    assert_eq!(past_the_end.key(), None);
}

#[test]
fn invalid_requests_are_errors() {
    let config = SyntheticConfig {
        utterances: 3,
        ..SyntheticConfig::default()
    };
    let corpus = Synthetic::new(config).expect("a legal config");
    let frames = corpus.length(0) as usize;
    let read = |index: usize, features: usize, labels: usize| -> Result<(), SyntheticError> {
        corpus.read_into(index, &mut vec![0.0; features], &mut vec![0; labels])
    };
    let errors = [
        corpus.generate(3).err(),
        read(usize::MAX, 0, 0).err(),
        read(0, frames, frames).err(),
        read(0, frames * 16, frames + 1).err(),
    ]
    .map(|error| error.expect("an error").to_string());
    insta::assert_snapshot!(errors.join("\n"), @r"
        no utterance 3: the synthetic corpus has 3, numbered from 0
        no utterance 18446744073709551615: the synthetic corpus has 3, numbered from 0
        utterance 0 has 446 frames of 16 dimensions, but the feature buffer holds 446 values instead of 7136
        utterance 0 has 446 frames, but the label buffer holds 447
        ");
    assert_eq!(read(0, frames * 16, frames), Ok(()));
}

#[test]
fn configs_are_strict_and_defaults_are_serialised() {
    insta::assert_snapshot!(serde_json::to_string(&SyntheticConfig::default()).expect("JSON"), @r#"{"utterances":10000,"profile":"librispeech","seed":0,"language":0,"dims":16,"classes":1500,"speakers":80,"noise":1.0}"#);
    let error = serde_json::from_str::<SyntheticConfig>(r#"{ "utterance": 5 }"#)
        .expect_err("an unknown field");
    insta::assert_snapshot!(error, @"unknown field `utterance`, expected one of `utterances`, `profile`, `seed`, `language`, `dims`, `classes`, `speakers`, `noise` at line 1 column 13");
}
