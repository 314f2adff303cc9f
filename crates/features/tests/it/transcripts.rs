//! Targets from transcripts: units, symbols, and transcripts without a target.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;

use crate::support::{cases, frames};
use padwise_features::corpus::{TargetUnit, ctc_frames};
use padwise_features::pack::{Pack, PackError};
use padwise_features::prepare::{PackOptions, pack_corpus};
use padwise_features::transcripts::{Encoded, Lexicon, TargetError, TargetRules, TextRules};
use padwise_features::{Corpus, CorpusError, Matrix};
use proptest::prelude::*;
use tempfile::TempDir;

fn rules(unit: TargetUnit) -> TargetRules {
    TargetRules {
        unit,
        text: TextRules::default(),
        lexicon: None,
        symbols: None,
    }
}

fn encode(rules: &TargetRules, texts: &[&str]) -> Result<Encoded, TargetError> {
    rules.encode(texts.iter().map(|&text| Some(text)))
}

fn sequences(encoded: &Encoded) -> Vec<Vec<u16>> {
    let sequences = encoded.sequences.iter();
    sequences.map(|s| s.as_ref().unwrap().clone()).collect()
}

fn lexicon(text: &str) -> Lexicon {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lexicon.txt");
    fs::write(&path, text).unwrap();
    let rules = TextRules::default();
    Lexicon::read(&path, |word| rules.normalise(word)).unwrap()
}

#[test]
fn characters_are_sorted_and_repeats_are_kept() {
    let encoded = encode(&rules(TargetUnit::Chars), &["HELLO", "oh, no!"]).unwrap();
    assert_eq!(encoded.set.symbols, [" ", "e", "h", "l", "n", "o"]);
    assert_eq!(
        sequences(&encoded),
        [vec![2, 1, 3, 3, 5], vec![5, 2, 0, 4, 5]]
    );
    assert!(encoded.outside.is_empty());
}

#[test]
fn words_are_those_that_occur_or_those_of_the_lexicon() {
    let encoded = encode(&rules(TargetUnit::Words), &["two TWO one"]).unwrap();
    assert_eq!(encoded.set.symbols, ["one", "two"]);
    assert_eq!(sequences(&encoded), [[1, 1, 0]]);
    let with_lexicon = TargetRules {
        lexicon: Some(lexicon("ONE W AH N\nTWO T UW\nNINE N AY N\n")),
        ..rules(TargetUnit::Words)
    };
    let encoded = encode(&with_lexicon, &["two one", "ten of one"]).unwrap();
    assert_eq!(encoded.set.symbols, ["nine", "one", "two"]);
    let problem = encoded.sequences[1].as_ref().unwrap_err();
    assert_eq!(problem.to_string(), "words not in the lexicon: ten, of");
    assert_eq!(encoded.outside.get("ten"), Some(&1));
}

#[test]
fn phones_come_from_the_lexicon() {
    let said = encode(&rules(TargetUnit::Phones), &["a"]).unwrap_err();
    insta::assert_snapshot!(said, @"phones need a pronunciation lexicon: pass --lexicon FILE");
    let with_lexicon = TargetRules {
        lexicon: Some(lexicon(
            "NINE N AY N\nNINE(2) N AA N\nTEN T EH N\nZOO Z UW\n",
        )),
        ..rules(TargetUnit::Phones)
    };
    let encoded = encode(&with_lexicon, &["nine nine", "eleven"]).unwrap();
    // All phones of the lexicon are symbols, so that packs of one corpus agree.
    assert_eq!(encoded.set.symbols, ["AY", "EH", "N", "T", "UW", "Z"]);
    let target = encoded.sequences[0].as_ref().unwrap();
    assert_eq!(target, &[2, 0, 2, 2, 0, 2]);
    assert!(encoded.sequences[1].is_err());
}

#[test]
fn characters_outside_the_given_symbols_are_counted() {
    let given = TargetRules {
        symbols: Some(vec!["a".into(), "b".into(), " ".into()]),
        ..rules(TargetUnit::Chars)
    };
    // No word of the target is empty.
    let encoded = encode(&given, &["7 a 8 b 9", "7 8"]).unwrap();
    assert_eq!(encoded.sequences[0].as_ref().unwrap(), &[0, 2, 1]);
    assert!(encoded.sequences[1].is_err());
    let encoded = encode(&given, &["a cab", "ccc"]).unwrap();
    assert_eq!(encoded.sequences[0].as_ref().unwrap(), &[0, 2, 0, 1]);
    assert_eq!(encoded.outside.get("c"), Some(&4));
    let said = encoded.sequences[1].as_ref().unwrap_err().to_string();
    insta::assert_snapshot!(said, @r#"empty transcript after normalisation (it was "ccc")"#);
    let twice = TargetRules {
        symbols: Some(vec!["a".into(), "a".into()]),
        ..given
    };
    let said = encode(&twice, &["a"]).unwrap_err();
    insta::assert_snapshot!(said, @"the 2 symbols contain duplicates");
    let said = encode(&rules(TargetUnit::Chars), &["?", "…"]).unwrap_err();
    insta::assert_snapshot!(said, @"no transcript has any text: nothing to make targets of");
}

/// Two utterances, the second without a transcript.
struct Half;

impl Corpus for Half {
    fn lengths(&self) -> &[u32] {
        &[9, 9]
    }

    fn dims(&self) -> usize {
        1
    }

    fn id(&self, utterance: usize) -> &str {
        ["a", "b"].get(utterance).copied().unwrap_or_default()
    }

    fn text(&self, utterance: usize) -> Option<&str> {
        (utterance == 0).then_some("Abba")
    }

    fn read_into(
        &self,
        _: usize,
        _: u32,
        features: &mut [f32],
        _: &mut [i32],
    ) -> Result<(), CorpusError> {
        let made: Matrix = frames(features.len(), 1, 0);
        features.copy_from_slice(made.as_slice());
        Ok(())
    }
}

#[test]
fn utterances_without_a_target_stop_or_are_left_out() {
    let folder = TempDir::new().unwrap();
    let encoded = rules(TargetUnit::Chars)
        .encode((0..2).map(|n| Half.text(n)))
        .unwrap();
    let pack = |name: &str, keep_going| -> Result<Pack, PackError> {
        let options = PackOptions {
            keep_going,
            ..PackOptions::default()
        };
        let path = folder.path().join(name);
        let front_end = serde_json::json!({});
        pack_corpus(&Half, path, front_end, Some(&encoded), &options, |_| ())
    };
    let said = pack("stops", false).unwrap_err().to_string();
    insta::assert_snapshot!(said, @"utterance b: no transcript");
    let pack = pack("goes on", true).unwrap();
    assert_eq!((pack.len(), pack.left_out().len()), (1, 1));
    assert_eq!(pack.left_out()[0].reason, "no transcript");
    assert_eq!(pack.targets(0).unwrap(), [0, 1, 1, 0]);
    let targets = &pack.setup().front_end["targets"];
    assert_eq!(targets["text"]["case"], "lower");
    pack.verify().unwrap();
}

proptest! {
    #![proptest_config(cases(100))]

    /// Encoding loses nothing: the target reads as the normalised text.
    #[test]
    fn targets_read_as_the_normalised_text(texts in prop::collection::vec("\\PC{0,30}", 1..5)) {
        for unit in [TargetUnit::Chars, TargetUnit::Words] {
            let rules = rules(unit);
            let Ok(encoded) = rules.encode(texts.iter().map(|text| Some(text.as_str()))) else {
                let empty = texts.iter().all(|text| rules.text.normalise(text).is_empty());
                prop_assert!(empty);
                continue;
            };
            for (text, sequence) in texts.iter().zip(&encoded.sequences) {
                let normalised = rules.text.normalise(text);
                prop_assert_eq!(rules.text.normalise(&normalised), normalised.clone());
                match sequence {
                    Ok(sequence) => {
                        let sequence: Vec<i32> = sequence.iter().map(|&s| s.into()).collect();
                        prop_assert_eq!(encoded.set.text(&sequence), normalised);
                        prop_assert!(ctc_frames(&sequence) < 2 * sequence.len());
                    }
                    Err(_) => prop_assert_eq!(normalised, ""),
                }
            }
        }
    }
}
