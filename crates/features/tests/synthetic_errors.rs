//! What the synthetic corpus says about configs and requests that make no sense.

use padwise_features::{Synthetic, SyntheticConfig, SyntheticError};

#[test]
fn what_cannot_be_made_is_said() {
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
    .map(|config| Synthetic::new(config).err().expect("an error").to_string());
    insta::assert_snapshot!(errors.join("\n"), @"");
}

#[test]
fn what_cannot_be_read_is_said() {
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
    insta::assert_snapshot!(errors.join("\n"), @"");
    assert_eq!(read(0, frames * 16, frames), Ok(()));
}

#[test]
fn configs_are_strict_and_their_defaults_are_written_out() {
    insta::assert_snapshot!(serde_json::to_string(&SyntheticConfig::default()).expect("JSON"), @"");
    let error = serde_json::from_str::<SyntheticConfig>(r#"{ "utterance": 5 }"#)
        .expect_err("an unknown field");
    insta::assert_snapshot!(error, @"");
}
