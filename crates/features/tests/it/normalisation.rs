//! Mean and variance: numerically stable, mergeable, and defined for constant dimensions.

use padwise_features::Matrix;
use padwise_features::normalisation::{Moments, MomentsError, Normalisation, Statistics};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn rows(values: &[[f32; 2]]) -> Matrix {
    Matrix::from_rows(2, values.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100,
        rng_seed: RngSeed::Fixed(0),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn parts_merge_in_any_order(
        values in prop::collection::vec(prop::array::uniform2(-1e3f32..1e3), 1..200),
        cuts in prop::collection::vec(0..200usize, 0..6),
    ) {
        let whole = Moments::of(&rows(&values));
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(values.len())).chain([0, values.len()]).collect();
        cuts.sort_unstable();
        let mut merged = Moments::new(2);
        for pair in cuts.windows(2).rev() {
            merged.accumulate(&rows(&values[pair[0]..pair[1]])).expect("the same dimensions");
        }
        prop_assert_eq!(merged.frames(), whole.frames());
        for d in 0..2 {
            prop_assert!((merged.mean()[d] - whole.mean()[d]).abs() < 1e-9);
            prop_assert!((merged.std()[d] - whole.std()[d]).abs() < 1e-9 * (1.0 + whole.std()[d]));
        }
    }

    #[test]
    fn normalised_features_have_mean_0_and_variance_1(
        values in prop::collection::vec(prop::array::uniform2(-50f32..50.0), 2..200),
    ) {
        let mut features = rows(&values);
        let before = Moments::of(&features);
        before.apply(&mut features).expect("the same dimensions");
        let after = Moments::of(&features);
        for d in 0..2 {
            prop_assert!(after.mean()[d].abs() < 1e-4);
            if before.std()[d] > 1e-3 {
                prop_assert!((after.std()[d] - 1.0).abs() < 1e-3);
            }
        }
    }
}

#[test]
fn a_small_variance_on_a_large_mean_survives_a_long_corpus() {
    // In single precision, the variance would be lost in a sum of squares of 1e14.
    let block = rows(&[[10_000.0, 0.0], [10_001.0, 0.0]].repeat(500));
    let mut moments = Moments::new(2);
    for _ in 0..1000 {
        moments.accumulate(&block).expect("the same dimensions");
    }
    assert_eq!(moments.frames(), 1_000_000);
    assert!((moments.mean()[0] - 10_000.5).abs() < 1e-6);
    assert!((moments.std()[0] - 0.5).abs() < 1e-9);
}

#[test]
fn a_dimension_that_never_changes_becomes_zero() {
    let mut features = rows(&[[0.1, 5.0], [0.1, 6.0], [0.1, 7.0]]);
    Moments::of(&features)
        .apply(&mut features)
        .expect("the same dimensions");
    for t in 0..3 {
        assert!(features.row(t)[0].abs() < 1e-6, "{:?}", features.row(t));
        assert!(features.row(t)[1].is_finite());
    }
}

#[test]
fn each_normalisation_uses_the_right_statistics() {
    let (ann, bob) = (
        rows(&[[1.0, 0.0], [3.0, 2.0]]),
        rows(&[[11.0, 4.0], [13.0, 6.0]]),
    );
    let normalised = |normalisation, speaker: &str| {
        let mut statistics = Statistics::new(normalisation, 2);
        statistics.accumulate("ann", &ann).expect("fits");
        statistics.accumulate("bob", &bob).expect("fits");
        let mut features = rows(&[[2.0, 3.0], [4.0, 3.0]]);
        statistics.apply(speaker, &mut features).expect("fits");
        features.as_slice().to_vec()
    };
    assert_eq!(normalised(Normalisation::None, "ann"), [2.0, 3.0, 4.0, 3.0]);
    assert_eq!(
        normalised(Normalisation::Utterance, "ann"),
        [-1.0, 0.0, 1.0, 0.0]
    );
    assert_eq!(
        normalised(Normalisation::Speaker, "ann"),
        [0.0, 2.0, 2.0, 2.0]
    );
    assert_eq!(
        normalised(Normalisation::Speaker, "bob"),
        [-10.0, -2.0, -8.0, -2.0]
    );
    let unknown = normalised(Normalisation::Speaker, "eve");
    assert_eq!(unknown, normalised(Normalisation::Global, "ann"));
    assert!((unknown[0] - -5.0 / 26f32.sqrt()).abs() < 1e-6);
}

#[test]
fn statistics_merge_and_round_trip() {
    let (ann, bob) = (
        rows(&[[1.0, 0.0], [3.0, 2.0]]),
        rows(&[[11.0, 4.5], [13.3, 6.0]]),
    );
    let mut both = Statistics::new(Normalisation::Speaker, 2);
    both.accumulate("ann", &ann).expect("fits");
    both.accumulate("bob", &bob).expect("fits");
    let mut parts = Statistics::new(Normalisation::Speaker, 2);
    for (speaker, features) in [("ann", &ann), ("bob", &bob)] {
        let mut part = Statistics::new(Normalisation::Speaker, 2);
        part.accumulate(speaker, features).expect("fits");
        parts.merge(&part).expect("fits");
    }
    assert_eq!(parts, both);
    let json = serde_json::to_string(&both).expect("JSON");
    assert_eq!(
        serde_json::from_str::<Statistics>(&json).expect("JSON"),
        both
    );
}

#[test]
fn mismatched_statistics_are_errors() {
    let mut moments = Moments::new(2);
    insta::assert_snapshot!(moments.apply(&mut rows(&[[1.0, 2.0]])).expect_err("empty"), @"no statistics to normalise with: accumulate the training set first");
    insta::assert_snapshot!(moments.accumulate(&Matrix::zeros(4, 3)).expect_err("3"), @"features have 3 dimensions but the statistics have 2: use statistics of the same front end");
    assert_eq!(
        moments.merge(&Moments::new(1)),
        Err(MomentsError::Dimensions {
            expected: 2,
            actual: 1
        })
    );
    let damaged = |text| serde_json::from_str::<Moments>(text).expect_err("damaged");
    insta::assert_snapshot!(damaged(r#"{"frames": 3, "mean": [1.0], "squares": []}"#), @"invalid statistics (1 means, 0 sums of squares, 3 frames): both counts must be equal, all values finite, no sum negative");
    insta::assert_snapshot!(damaged(r#"{"frames": 3, "mean": [1.0], "squares": [-1.0]}"#), @"invalid statistics (1 means, 1 sums of squares, 3 frames): both counts must be equal, all values finite, no sum negative");
}
