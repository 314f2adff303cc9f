//! Properties of the bootstrap, and its coverage on synthetic errors.

use proptest::prelude::*;

use super::*;

/// Pairs the first strategy with the second.
const PAIR: Pair = Pair {
    old: 0,
    new: 1,
    scale: Scale::Difference,
};

/// Errors of a strategy: one list per seed, seeds numbered from 1.
fn seeds(runs: &[Vec<u32>]) -> SeedErrors<'_> {
    (1..).zip(runs.iter().map(Vec::as_slice)).collect()
}

fn compared(words: &[u32], old: &[Vec<u32>], new: &[Vec<u32>]) -> Change {
    let found = resample(words, &[seeds(old), seeds(new)], &[PAIR], 500);
    found.changes[0].expect("runs on both sides")
}

/// Wrong words of an utterance, each with probability `p`.
fn errors(random: &mut ChaCha8Rng, words: u32, p: f64) -> u32 {
    let is_wrong = |_: &u32| f64::from(random.next_u32()) < p * 4_294_967_296.0;
    (0..words).filter(is_wrong).count() as u32
}

#[test]
fn an_interval_covers_the_true_rate_about_95_times_of_100() {
    let (words, p, trials) = (vec![8; 150], 0.1, 300);
    let mut covered = 0;
    for trial in 0..trials {
        let mut random = ChaCha8Rng::seed_from_u64(trial);
        let run: Vec<u32> = words.iter().map(|&n| errors(&mut random, n, p)).collect();
        let found = resample(&words, &[seeds(&[run])], &[], 300);
        let (low, high) = found.intervals[0].expect("a run");
        covered += u64::from((low..=high).contains(&(100.0 * p)));
    }
    let share = covered as f64 / trials as f64;
    assert!((0.90..=0.99).contains(&share), "{share}");
}

#[test]
fn a_true_difference_is_found_and_chance_is_not() {
    let words = vec![10; 400];
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut runs = |p: f64| -> Vec<Vec<u32>> {
        let run = |random: &mut ChaCha8Rng| words.iter().map(|&n| errors(random, n, p)).collect();
        (0..3).map(|_| run(&mut random)).collect()
    };
    let (base, same, worse) = (runs(0.1), runs(0.1), runs(0.14));
    let worse = compared(&words, &base, &worse);
    assert_eq!(worse.is_significant(), Some(true));
    assert!((worse.estimate - 4.0).abs() < 1.5, "{worse:?}");
    assert_eq!(compared(&words, &base, &same).is_significant(), Some(false));
}

/// The errors of two runs that differ by this rate.
fn two_runs(seed: u64, words: &[u32], difference: f64) -> [Vec<Vec<u32>>; 2] {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let rates = [0.1, 0.1 + difference];
    rates.map(|p| vec![words.iter().map(|&n| errors(&mut random, n, p)).collect()])
}

#[test]
fn a_difference_of_the_detectable_size_is_found_four_times_out_of_five() {
    let (words, trials) = (vec![10; 200], 200);
    let [old, new] = two_runs(1000, &words, 0.0);
    let tested = compared(&words, &old, &new).tested.expect("utterances");
    let detectable = tested.detectable.expect("a spread") / 100.0;
    let is_found = |&trial: &u64| {
        let [old, new] = two_runs(trial, &words, detectable);
        compared(&words, &old, &new).is_significant() == Some(true)
    };
    let found = (0..trials).filter(is_found).count() as f64 / trials as f64;
    assert!((0.7..=0.9).contains(&found), "{found}");
}

/// Independent runs of equal strategies, one seed each.
fn equal_runs(seed: u64, strategies: usize, words: &[u32]) -> Vec<Vec<u32>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let run = |_| words.iter().map(|&n| errors(&mut random, n, 0.1)).collect();
    (0..strategies).map(run).collect()
}

/// Compares the first run with every other one.
fn against_first(words: &[u32], runs: &[Vec<u32>], replicates: usize) -> Vec<Change> {
    let strategies: Vec<SeedErrors> = runs.iter().map(|run| vec![(1, &run[..])]).collect();
    let pairs = (1..runs.len()).map(|new| Pair { new, ..PAIR });
    let found = resample(words, &strategies, &pairs.collect::<Vec<_>>(), replicates);
    found.changes.into_iter().flatten().collect()
}

#[test]
fn intervals_of_several_comparisons_hold_together() {
    let (words, trials) = (vec![10; 100], 200);
    let all_hold = |&trial: &u64| {
        let changes = against_first(&words, &equal_runs(trial, 6, &words), 300);
        // The true differences are zero. An interval without zero is a significant difference, and the other way round.
        let holds = changes.iter().map(|change| {
            let tested = change.tested.expect("utterances");
            let holds = tested.low <= 0.0 && tested.high >= 0.0;
            assert_eq!(holds, tested.p >= SIGNIFICANT, "{tested:?}");
            holds
        });
        holds.collect::<Vec<_>>().into_iter().all(|holds| holds)
    };
    let share = (0..trials).filter(all_hold).count() as f64 / trials as f64;
    assert!((0.90..=0.99).contains(&share), "{share}");
}

#[test]
fn more_comparisons_detect_less() {
    let words = vec![10; 200];
    let detectable = |strategies| {
        let changes = against_first(&words, &equal_runs(7, strategies, &words), 2000);
        let tested = changes[0].tested.expect("utterances");
        tested.detectable.expect("a spread")
    };
    // Dunnett's critical value for ten comparisons is about 2.7, instead of 1.96 for one. Both are increased by 0.84 for the power.
    let ratio = detectable(11) / detectable(2);
    assert!((1.2..1.35).contains(&ratio), "{ratio}");
}

#[test]
fn equal_errors_are_no_difference() {
    let words = vec![10; 50];
    let mut runs = equal_runs(3, 2, &words);
    runs.push(runs[0].clone());
    let changes = against_first(&words, &runs, 500);
    let same = changes[1].tested.expect("utterances");
    assert_eq!((same.low, same.high, same.p), (0.0, 0.0, 1.0));
}

/// The share of significant differences between equal strategies with three seeds, whose rates have this standard deviation.
fn false_positives(deviation: f64) -> f64 {
    let (words, trials) = (vec![50; 60], 200);
    let found = (0..trials).filter(|&trial| {
        let mut random = ChaCha8Rng::seed_from_u64(trial);
        let mut run = || -> Vec<u32> {
            // A sum of twelve uniform numbers is nearly normal, with a variance of 1.
            let uniform = |_| f64::from(random.next_u32()) / 4_294_967_296.0;
            let normal = (0..12).map(uniform).sum::<f64>() - 6.0;
            let p = (0.15 + deviation * normal).max(0.0);
            words.iter().map(|&n| errors(&mut random, n, p)).collect()
        };
        let mut runs = || -> Vec<Vec<u32>> { (0..3).map(|_| run()).collect() };
        let (old, new) = (runs(), runs());
        compared(&words, &old, &new).is_significant() == Some(true)
    });
    found.count() as f64 / trials as f64
}

/// `docs/method.md` warns of this.
#[test]
fn three_seeds_that_vary_much_make_the_test_too_optimistic() {
    assert!(false_positives(0.0) <= 0.05);
    assert!(false_positives(0.005) <= 0.06);
    let optimistic = false_positives(0.03);
    assert!((0.1..0.3).contains(&optimistic), "{optimistic}");
}

/// The same utterances are drawn for both, so a constant difference has no spread.
#[test]
fn utterances_are_paired() {
    let words = vec![10; 50];
    let old: Vec<u32> = (0..50).map(|at| at % 7).collect();
    let new: Vec<u32> = old.iter().map(|errors| errors + 1).collect();
    let change = compared(&words, &[old], &[new]);
    let tested = change.tested.expect("utterances");
    for value in [change.estimate, tested.low, tested.high] {
        assert!((value - 10.0).abs() < 1e-9, "{value}");
    }
    assert_eq!((tested.test, tested.p), (Test::Bootstrap, 2.0 / 501.0));
}

/// Every utterance has the same errors, so all spread is between seeds.
#[test]
fn seeds_are_resampled_too() {
    let words = vec![10; 20];
    let runs: Vec<Vec<u32>> = (1..=3).map(|errors| vec![errors; 20]).collect();
    let found = resample(&words, &[seeds(&runs)], &[], 500);
    assert_eq!(found.intervals, [Some((10.0, 30.0))]);
    let one = resample(&words, &[seeds(&runs[..1])], &[], 500);
    assert_eq!(one.intervals, [Some((10.0, 10.0))]);
}

#[test]
fn a_strategy_without_runs_or_words_has_no_interval() {
    let run = vec![vec![1, 2]];
    let found = resample(&[5, 5], &[seeds(&run), Vec::new()], &[PAIR], 50);
    assert!(found.intervals[0].is_some());
    assert_eq!((found.intervals[1], found.changes[0]), (None, None));
    let none = resample(&[0, 0], &[seeds(&run), seeds(&run)], &[PAIR], 50);
    assert_eq!((none.intervals[0], none.changes[0]), (None, None));
    assert_eq!(bootstrap(&[], &[], &[]), Resampled::default());
}

#[test]
fn ratios_have_an_interval_around_one_for_equal_systems() {
    let run = vec![vec![1, 2, 0, 3]];
    let pair = Pair {
        scale: Scale::Ratio,
        ..PAIR
    };
    let found = resample(&[9; 4], &[seeds(&run), seeds(&run)], &[pair], 50);
    let change = found.changes[0].expect("a ratio");
    let tested = change.tested.expect("replicates");
    assert_eq!(
        (change.estimate, tested.low, tested.high, tested.p),
        (1.0, 1.0, 1.0, 1.0)
    );
}

/// Two strategies with the same number of seeds and utterances.
fn two_strategies() -> impl Strategy<Value = (Vec<u32>, Vec<Vec<u32>>, Vec<Vec<u32>>)> {
    (1usize..20, 1usize..4).prop_flat_map(|(utterances, seeds)| {
        let runs = || {
            let run = prop::collection::vec(0u32..12, utterances);
            prop::collection::vec(run, seeds)
        };
        let words = prop::collection::vec(1u32..12, utterances);
        (words, runs(), runs())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn identical_strategies_do_not_differ((words, runs, _) in two_strategies()) {
        let change = compared(&words, &runs, &runs);
        let tested = change.tested.expect("utterances");
        prop_assert_eq!((change.estimate, tested.low, tested.high), (0.0, 0.0, 0.0));
        prop_assert_eq!(tested.p, 1.0);
    }

    #[test]
    fn swapping_the_sides_negates_the_difference((words, old, new) in two_strategies()) {
        let (there, back) = (compared(&words, &old, &new), compared(&words, &new, &old));
        let (there_tested, back_tested) = (there.tested.expect("a test"), back.tested.expect("a test"));
        prop_assert!((there.estimate + back.estimate).abs() < 1e-9);
        prop_assert!((there_tested.low + back_tested.high).abs() < 1e-9);
        prop_assert!((there_tested.high + back_tested.low).abs() < 1e-9);
        prop_assert_eq!(there_tested.p, back_tested.p);
    }

    #[test]
    fn the_same_errors_added_to_both_change_nothing((words, old, new) in two_strategies(), added in 1u32..5) {
        let more = |runs: &[Vec<u32>]| -> Vec<Vec<u32>> {
            let run = |run: &Vec<u32>| run.iter().map(|errors| errors + added).collect();
            runs.iter().map(run).collect()
        };
        let (before, after) = (compared(&words, &old, &new), compared(&words, &more(&old), &more(&new)));
        let (before_tested, after_tested) = (before.tested.expect("a test"), after.tested.expect("a test"));
        prop_assert!((before.estimate - after.estimate).abs() < 1e-9);
        prop_assert!((before_tested.low - after_tested.low).abs() < 1e-9);
        prop_assert!((before_tested.high - after_tested.high).abs() < 1e-9);
    }
}
