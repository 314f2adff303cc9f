//! The first NaN or infinite feature of an utterance.

use padwise_features::corpus::NonFinite;
use padwise_features::{Matrix, SyntheticConfig, SyntheticCorpus};

#[test]
fn the_lowest_frame_and_dimension_are_found() {
    let corpus = SyntheticCorpus::new(SyntheticConfig {
        utterances: 1,
        ..SyntheticConfig::default()
    });
    let corpus = corpus.expect("a corpus");
    let dims = padwise_features::Corpus::dims(&corpus);
    let mut values = vec![0.0; 20 * dims];
    let found =
        |values: &[f32]| NonFinite::first_in(&corpus, 0, &Matrix::from_rows(dims, values.to_vec()));
    assert_eq!(found(&values), None);
    values[19 * dims] = f32::NAN;
    values[7 * dims + 1] = f32::NEG_INFINITY;
    let first = found(&values).expect("a value");
    assert_eq!((first.utterance, first.frame, first.dimension), (0, 7, 1));
    assert!(
        first.to_string().ends_with("frame 7, dimension 1: -inf"),
        "{first}"
    );
}
