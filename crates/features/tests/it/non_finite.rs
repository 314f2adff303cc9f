//! The first NaN or infinite feature of a corpus.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use padwise_features::corpus::{NonFinite, first_non_finite};
use padwise_features::{Corpus, CorpusError};

/// Utterances of 20 frames of 3 dimensions, with chosen values at chosen positions.
struct Damaged {
    lengths: Vec<u32>,
    ids: Vec<String>,
    values: Vec<(usize, usize, f32)>,
    unreadable: Option<usize>,
}

fn damaged(values: &[(usize, usize, f32)]) -> Damaged {
    Damaged {
        lengths: vec![20; 200],
        ids: (0..200).map(|n| format!("utt-{n}")).collect(),
        values: values.to_vec(),
        unreadable: None,
    }
}

impl Corpus for Damaged {
    fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    fn dims(&self) -> usize {
        3
    }

    fn id(&self, utterance: usize) -> &str {
        &self.ids[utterance]
    }

    fn read_into(
        &self,
        utterance: usize,
        _start: u32,
        features: &mut [f32],
        _labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        if self.unreadable == Some(utterance) {
            return Err(CorpusError::other(std::io::Error::other("unreadable")));
        }
        for &(_, at, value) in self.values.iter().filter(|value| value.0 == utterance) {
            features[at] = value;
        }
        Ok(())
    }
}

#[test]
fn the_lowest_utterance_and_frame_are_found() {
    assert_eq!(first_non_finite(&damaged(&[])).unwrap(), None);
    let corpus = damaged(&[
        (170, 0, f32::NAN),
        (31, 59, f32::NAN),
        (31, 22, f32::NEG_INFINITY),
        (32, 0, f32::INFINITY),
    ]);
    // On several threads, the order of the answers changes, the result does not.
    for _ in 0..50 {
        let found = first_non_finite(&corpus).unwrap().unwrap();
        assert_eq!(
            found,
            NonFinite {
                utterance: 31,
                id: "utt-31".into(),
                frame: 7,
                dimension: 1,
                value: f32::NEG_INFINITY,
            }
        );
        assert_eq!(
            found.to_string(),
            "utterance utt-31, frame 7, dimension 1: -inf"
        );
    }
}

#[test]
fn an_unreadable_utterance_is_an_error_unless_it_comes_later() {
    let mut corpus = damaged(&[(31, 0, f32::NAN)]);
    corpus.unreadable = Some(30);
    assert!(first_non_finite(&corpus).is_err());
    corpus.unreadable = Some(32);
    assert_eq!(first_non_finite(&corpus).unwrap().unwrap().utterance, 31);
}
