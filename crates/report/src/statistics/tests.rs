//! Compares with results of SciPy 1.17, and checks properties that hold for any values.

use proptest::prelude::*;

use super::*;

fn numbered(values: &[f64]) -> Vec<(u64, f64)> {
    (1..).zip(values.iter().copied()).collect()
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
}

/// `scipy.stats.ttest_rel([1.1, 1.4, 1.2], [1.0, 1.1, 1.15])` and its `confidence_interval()`.
#[test]
fn common_seeds_are_paired() {
    let change = Change::between(
        &numbered(&[1.0, 1.1, 1.15]),
        &numbered(&[1.1, 1.4, 1.2]),
        Scale::Difference,
    );
    let change = change.expect("values");
    let tested = change.tested.expect("three seeds");
    near(change.estimate, 0.15);
    assert_eq!(tested.test, Test::Paired);
    near(tested.p, 0.188_497_329);
    near(tested.low, -0.178_620_530);
    near(tested.high, 0.478_620_530);
}

/// `scipy.stats.ttest_ind([5.0, 5.5, 6.1, 5.2], [4.0, 4.4, 4.1], equal_var=False)` and its `confidence_interval()`.
#[test]
fn other_seeds_are_independent() {
    let new = [5.0, 5.5, 6.1, 5.2];
    let change = Change::independent(
        &numbered(&[4.0, 4.4, 4.1]),
        &numbered(&new),
        Scale::Difference,
    );
    let others = [(11, 4.0), (12, 4.4), (13, 4.1)];
    assert_eq!(
        Change::between(&others, &numbered(&new), Scale::Difference),
        change
    );
    let tested = change.expect("values").tested.expect("seeds enough");
    assert_eq!(tested.test, Test::Welch);
    near(tested.p, 0.007_338_212);
    near(tested.low, 0.558_088_993);
    near(tested.high, 2.008_577_674);
}

#[test]
fn too_few_values_are_not_tested() {
    let one = Change::between(&[(1, 2.0)], &[(1, 3.0)], Scale::Ratio).expect("a ratio");
    near(one.estimate, 1.5);
    assert_eq!(one.tested, None);
    assert_eq!(Change::between(&[], &[(1, 3.0)], Scale::Ratio), None);
    assert_eq!(
        Change::between(&[(1, 0.0)], &[(1, 3.0)], Scale::Ratio),
        None
    );
    let same = numbered(&[2.0, 2.0]);
    let none = Change::between(&same, &same, Scale::Ratio).and_then(|change| change.tested);
    assert_eq!(none.map(|tested| tested.p), Some(1.0));
    let apart = Change::between(&same, &numbered(&[3.0, 3.0]), Scale::Ratio);
    let apart = apart.and_then(|change| change.tested).expect("two seeds");
    assert_eq!((apart.p, apart.low), (0.0, apart.high));
}

#[test]
fn holm_of_known_values() {
    let corrected = holm(&[Some(0.01), None, Some(0.04), Some(0.03)]);
    assert_eq!(corrected, [Some(0.03), None, Some(0.06), Some(0.06)]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn swapping_the_sides_inverts_the_ratio(
        old in prop::collection::vec(0.1f64..100.0, 1..6),
        new in prop::collection::vec(0.1f64..100.0, 1..6),
    ) {
        let (old, new) = (numbered(&old), numbered(&new));
        let there = Change::between(&old, &new, Scale::Ratio).expect("positive");
        let back = Change::between(&new, &old, Scale::Ratio).expect("positive");
        prop_assert!((there.estimate * back.estimate - 1.0).abs() < 1e-9);
        prop_assert_eq!(there.tested.is_some(), back.tested.is_some());
        if let (Some(there_tested), Some(back)) = (there.tested, back.tested) {
            prop_assert!((there_tested.p - back.p).abs() < 1e-9);
            prop_assert!(there_tested.low <= there.estimate && there.estimate <= there_tested.high);
            prop_assert!((0.0..=1.0).contains(&there_tested.p));
            // The interval excludes "no change" exactly when the test is significant.
            let excludes = there_tested.low > 1.0 || there_tested.high < 1.0;
            prop_assert!(excludes == (there_tested.p < SIGNIFICANT) || (there_tested.p - SIGNIFICANT).abs() < 1e-6);
        }
    }

    #[test]
    fn holm_never_lowers_a_p_value_and_keeps_the_order(ps in prop::collection::vec(prop::option::of(0.0f64..1.0), 0..12)) {
        let corrected = holm(&ps);
        for (p, corrected) in ps.iter().zip(&corrected) {
            prop_assert_eq!(p.is_some(), corrected.is_some());
            prop_assert!(corrected >= p && corrected.is_none_or(|c| c <= 1.0));
        }
        for (a, ca) in ps.iter().zip(&corrected) {
            for (b, cb) in ps.iter().zip(&corrected) {
                if let (Some(a), Some(b)) = (a, b) && a <= b {
                    prop_assert!(ca <= cb);
                }
            }
        }
    }
}
