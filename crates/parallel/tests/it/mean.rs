//! Properties of the weighted mean.

use padwise_parallel::{MeanError, weighted_mean};
use proptest::collection::vec;
use proptest::num::f32::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
use proptest::prelude::*;

fn mean(vectors: &[Vec<f32>], weights: &[f64]) -> Vec<f32> {
    let slices: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
    let mut out = vec![f32::NAN; vectors[0].len()];
    weighted_mean(&slices, weights, &mut out).expect("valid weights");
    out
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn value() -> impl Strategy<Value = f32> {
    POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
}

/// Up to 5 vectors of up to 3,000 values: more than two passes of the implementation.
fn vectors() -> impl Strategy<Value = Vec<Vec<f32>>> {
    (1..5_usize, 0..3000_usize).prop_flat_map(|(ranks, length)| vec(vec(value(), length), ranks))
}

fn weighted_vectors() -> impl Strategy<Value = (Vec<Vec<f32>>, Vec<f64>)> {
    vectors().prop_flat_map(|vectors| {
        let weights = vec(1e-3..1e6_f64, vectors.len());
        (Just(vectors), weights)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn slices_have_the_bits_of_the_whole((vectors, weights) in weighted_vectors(), cut in 0.0..1.0_f64) {
        let whole = mean(&vectors, &weights);
        let cut = (cut * whole.len() as f64) as usize;
        let part = |range: std::ops::Range<usize>| {
            let parts: Vec<Vec<f32>> = vectors.iter().map(|v| v[range.clone()].to_vec()).collect();
            mean(&parts, &weights)
        };
        let joined = [part(0..cut), part(cut..whole.len())].concat();
        prop_assert_eq!(bits(&joined), bits(&whole));
    }

    #[test]
    fn equal_weights_give_the_plain_mean_in_rank_order(vectors in vectors(), weight in 1e-300..1e300_f64) {
        let found = mean(&vectors, &vec![weight; vectors.len()]);
        for (index, &found) in found.iter().enumerate() {
            let mut sum = f64::from(vectors[0][index]);
            for vector in &vectors[1..] {
                sum += f64::from(vector[index]);
            }
            let expected = (sum / vectors.len() as f64) as f32;
            prop_assert_eq!(found.to_bits(), expected.to_bits());
        }
    }

    #[test]
    fn a_single_vector_stays_as_it_is(values in vec(prop_oneof![value(), Just(f32::INFINITY)], 0..2000), weight in 1e-300..1e300_f64) {
        let found = mean(std::slice::from_ref(&values), &[weight]);
        prop_assert_eq!(bits(&found), bits(&values));
    }

    #[test]
    fn powers_of_two_scale_weights_without_effect((vectors, weights) in weighted_vectors(), power in -500..500) {
        let scaled: Vec<f64> = weights.iter().map(|weight| weight * 2_f64.powi(power)).collect();
        prop_assert_eq!(bits(&mean(&vectors, &scaled)), bits(&mean(&vectors, &weights)));
    }

    #[test]
    fn the_mean_is_as_precise_as_f32((vectors, weights) in weighted_vectors()) {
        let total: f64 = weights.iter().sum();
        for (index, &found) in mean(&vectors, &weights).iter().enumerate() {
            let terms: Vec<f64> =
                vectors.iter().zip(&weights).map(|(v, w)| w / total * f64::from(v[index])).collect();
            let magnitude: f64 = terms.iter().map(|term| term.abs()).sum();
            let expected = terms.iter().sum::<f64>();
            prop_assert!((f64::from(found) - expected).abs() <= magnitude * 1e-7 + f64::from(f32::from_bits(1)));
        }
    }

    #[test]
    fn ranks_without_weight_are_ignored(vectors in vectors(), index in any::<prop::sample::Index>()) {
        let mut more = vectors.clone();
        let mut weights = vec![2.5; vectors.len()];
        let index = index.index(vectors.len() + 1);
        more.insert(index, vec![f32::NAN; vectors[0].len()]);
        let expected = mean(&vectors, &weights);
        weights.insert(index, 0.0);
        prop_assert_eq!(bits(&mean(&more, &weights)), bits(&expected));
    }
}

#[test]
fn the_sign_of_zero_survives() {
    assert_eq!(
        bits(&mean(&[vec![-0.0], vec![-0.0]], &[1.0, 2.0])),
        bits(&[-0.0])
    );
}

#[test]
fn values_are_not_rounded_before_the_division() {
    // In f32, the sum of these overflows.
    assert_eq!(
        mean(&[vec![f32::MAX], vec![f32::MAX]], &[1.0, 1.0]),
        [f32::MAX]
    );
}

#[test]
fn bad_input_is_an_error() {
    let one: &[f32] = &[1.0];
    type Case<'a> = (&'a [&'a [f32]], &'a [f64], &'a str);
    let cases: [Case<'_>; 6] = [
        (
            &[one, one],
            &[1.0, -1.0],
            "rank 1 has weight -1; weights must be finite and not negative",
        ),
        (
            &[one],
            &[f64::NAN],
            "rank 0 has weight NaN; weights must be finite and not negative",
        ),
        (
            &[one],
            &[f64::INFINITY],
            "rank 0 has weight inf; weights must be finite and not negative",
        ),
        (
            &[one, one],
            &[0.0, -0.0],
            "all 2 weights are zero; at least one rank needs a positive weight",
        ),
        (
            &[one],
            &[1.0, 1.0],
            "1 vectors for 2 weights; pass one vector per weight",
        ),
        (
            &[one, &[]],
            &[1.0, 1.0],
            "the vector of rank 1 has 0 values, but the result has 1",
        ),
    ];
    for (vectors, weights, message) in cases {
        let error: MeanError = weighted_mean(vectors, weights, &mut [0.0]).expect_err(message);
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(
        weighted_mean(&[], &[], &mut []),
        Err(MeanError::NoWeight(0))
    );
}
