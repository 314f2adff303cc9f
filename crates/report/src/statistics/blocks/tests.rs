//! Properties of the tests in blocks.

use super::*;

fn row(values: &[f64]) -> Vec<(u64, f64)> {
    (1..).zip(values.iter().copied()).collect()
}

fn tested(change: Option<Change>) -> Tested {
    change.and_then(|change| change.tested).expect("a test")
}

#[test]
fn one_strategy_is_compared_like_a_pair() {
    let rows = [row(&[1.0, 2.0, 4.0]), row(&[1.5, 2.2, 4.6])];
    let found = against_baseline(&rows, 0, Scale::Difference);
    let pair = Change::between(&rows[0], &rows[1], Scale::Difference).expect("a pair");
    assert_eq!(found[0], None);
    let (found, pair) = (tested(found[1]), tested(Some(pair)));
    assert!((found.p - pair.p).abs() < 1e-3, "{} {}", found.p, pair.p);
    assert!((found.low - pair.low).abs() < 1e-3 && (found.high - pair.high).abs() < 1e-3);
}

/// Three paired differences that happen to be nearly equal: a t-test of the pair alone is certain, this one is not.
#[test]
fn equal_differences_by_chance_are_not_significant() {
    let rows = [
        row(&[1.00, 1.10, 0.95]),
        row(&[1.02, 1.12, 0.971]),
        row(&[1.10, 0.98, 1.02]),
        row(&[0.93, 1.08, 1.05]),
    ];
    let pair = Change::between(&rows[0], &rows[1], Scale::Difference).expect("a pair");
    assert!(tested(Some(pair)).p < 0.001);
    let found = against_baseline(&rows, 0, Scale::Difference);
    assert!(tested(found[1]).p > 0.5);
}

#[test]
fn effects_of_seeds_do_not_count_as_noise() {
    let rows = [
        row(&[1.0, 5.0, 9.0]),
        row(&[2.0, 6.1, 9.9]),
        row(&[1.1, 4.9, 9.0]),
    ];
    let found = against_baseline(&rows, 0, Scale::Difference);
    let first = tested(found[1]);
    assert!(first.p < 0.01 && first.low > 0.0, "{first:?}");
    assert!(tested(found[2]).p > 0.5);
    let detectable = first.detectable.expect("a size");
    assert!(
        detectable > first.high - 1.0 && detectable < 1.0,
        "{detectable}"
    );
}

#[test]
fn numbers_without_noise_are_different_or_equal() {
    let rows = [
        row(&[0.1, 0.1, 0.1]),
        row(&[0.3, 0.3, 0.3]),
        row(&[0.1, 0.1, 0.1]),
    ];
    let found = against_baseline(&rows, 0, Scale::Ratio);
    assert_eq!(tested(found[1]).p, 0.0);
    assert!((tested(found[1]).low - 3.0).abs() < 1e-9);
    assert_eq!(tested(found[2]).p, 1.0);
}

#[test]
fn a_row_with_few_seeds_does_not_take_them_from_the_others() {
    let full = [
        row(&[1.0, 1.2, 0.9, 1.1, 1.0, 1.3]),
        row(&[1.1, 1.3, 0.9, 1.3, 1.1, 1.4]),
    ];
    let expected = against_baseline(&full, 0, Scale::Difference)[1];
    let few: Vec<(u64, f64)> = vec![(1, 1.1), (2, 1.4)];
    let last = [full[0].clone(), full[1].clone(), few.clone()];
    let found = against_baseline(&last, 0, Scale::Difference);
    assert_eq!(found[1], expected);
    assert_eq!(tested(found[2]).test, Test::Paired);
    let first = [full[0].clone(), few, full[1].clone()];
    assert_eq!(against_baseline(&first, 0, Scale::Difference)[2], expected);
}

#[test]
fn pairs_share_the_noise_of_all_rows() {
    let rows = [
        row(&[1.00, 1.10, 0.95]),
        row(&[1.02, 1.12, 0.971]),
        row(&[1.10, 0.98, 1.02]),
        row(&[1.93, 2.08, 2.05]),
    ];
    let found = in_pairs(&rows, &[(1, 2), (1, 3)], Scale::Difference);
    let [equal, different] = [tested(found[0]), tested(found[1])];
    assert_eq!(equal.test, Test::Blocks);
    assert!(
        equal.p > 0.5 && equal.low < 0.0 && equal.high > 0.0,
        "{equal:?}"
    );
    assert!(different.p < 0.001 && different.low > 0.5, "{different:?}");
    // The width of an interval depends on the noise and the number of pairs alone.
    assert!((equal.high - equal.low - (different.high - different.low)).abs() < 1e-9);
    let alone = tested(in_pairs(&rows, &[(1, 2)], Scale::Difference)[0]);
    assert!(alone.high - alone.low < equal.high - equal.low);
    assert!((equal.p - (2.0 * alone.p).min(1.0)).abs() < 1e-9);
    let one_seed = [row(&[1.0]), row(&[2.0])];
    assert_eq!(in_pairs(&one_seed, &[(0, 1)], Scale::Difference), [None]);
}

#[test]
fn a_row_without_common_seeds_does_not_spoil_the_others() {
    let other: Vec<(u64, f64)> = vec![(7, 1.0), (8, 2.0)];
    let rows = [row(&[1.0, 2.0, 3.0]), other, row(&[1.1, 2.0, 3.2])];
    let found = against_baseline(&rows, 0, Scale::Difference);
    assert_eq!(tested(found[1]).test, Test::Welch);
    assert_eq!(tested(found[2]).test, Test::Dunnett);
    let one_seed = against_baseline(&[row(&[1.0]), row(&[2.0])], 0, Scale::Difference);
    assert!(one_seed[1].is_some_and(|change| change.tested.is_none()));
}
