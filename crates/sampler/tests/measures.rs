//! Compares the statistics of plans (padding, batch lengths, randomness) with their definitions.

mod common;

use std::collections::HashMap;

use common::{cases, corpora, legal, planned};
use padwise_sampler::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn stats_agree_with_the_definitions(strategy in legal(), lengths in corpora(), seed: u64) {
        let Some(plan) = planned(&strategy, &lengths, seed, 0) else { return Ok(()) };
        let stats = plan.stats();
        let (mut sizes, mut zpr, mut abl, mut valid, mut padded) = (0.0, 0.0, 0.0, 0u64, 0u64);
        for b in plan.batches() {
            let mean = b.lengths().iter().map(|&l| f64::from(l)).sum::<f64>() / b.len() as f64;
            sizes += b.len() as f64;
            zpr += b.len() as f64 * (1.0 - mean / f64::from(b.padded_length()));
            abl += b.len() as f64 * f64::from(b.padded_length());
            valid += b.valid_frames();
            padded += b.len() as u64 * u64::from(b.padded_length());
        }
        prop_assert_eq!((stats.valid_frames, stats.padded_frames), (valid, padded));
        if sizes > 0.0 {
            prop_assert!((stats.zpr.expect("a batch") - zpr / sizes).abs() < 1e-9);
            prop_assert!((stats.abl.expect("a batch") - abl / sizes).abs() < 1e-6);
            let pooled = stats.pooled_padding.expect("a batch");
            prop_assert!((pooled - (1.0 - valid as f64 / padded as f64)).abs() < 1e-9);
        } else {
            prop_assert_eq!((stats.zpr, stats.abl, stats.pooled_padding), (None, None, None));
        }
        // Every frame of the corpus is in a batch or dropped. Overlapping chunks repeat frames.
        let corpus: u64 = lengths.iter().map(|&l| u64::from(l)).sum();
        if stats.dropped == 0 {
            prop_assert_eq!(stats.valid_frames - stats.repeated_frames, corpus);
        }
    }

    #[test]
    fn pair_recurrence_counts_pairs(strategy in legal(), lengths in corpora(), seed: u64) {
        let Some(now) = planned(&strategy, &lengths, seed, 0) else { return Ok(()) };
        let Some(next) = planned(&strategy, &lengths, seed, 1) else { return Ok(()) };
        let mut batch_of = HashMap::new();
        next.batches().for_each(|b| b.items().for_each(|i| { batch_of.insert(i, b.index()); }));
        let (mut pairs, mut again) = (0, 0);
        for b in now.batches() {
            let items: Vec<Item> = b.items().collect();
            for (k, x) in items.iter().enumerate() {
                for y in &items[k + 1..] {
                    pairs += 1;
                    let (x, y) = (batch_of.get(x), batch_of.get(y));
                    again += usize::from(x.is_some() && x == y);
                }
            }
        }
        let expected = (pairs > 0).then(|| again as f64 / pairs as f64);
        prop_assert_eq!(pair_recurrence(&now, &next), expected);
    }
}

/// Sorted batches repeat pairs; random batches do not.
#[test]
fn randomness_measures_distinguish_orders() {
    let lengths: Vec<u32> = (0..4000).map(|i| 50 + (i * 7919) % 4001).collect();
    let measure = |line: &str| {
        let now = common::plan(line, &lengths, 3, 0);
        let next = common::plan(line, &lengths, 3, 1);
        let again = pair_recurrence(&now, &next).expect("pairs");
        (
            again,
            now.stats().adjacent_correlation.expect("lengths vary"),
        )
    };
    assert_eq!(measure("sorted").0, 1.0);
    assert!(measure("sorted").1 > 0.999);
    let (again, correlation) = measure("random");
    assert!((again - 15.0 / 3999.0).abs() < 0.002 && correlation.abs() < 0.2);
    assert!(measure("sorted,shuffle-batches").1.abs() < 0.2);
    let semi = measure("semi-sorted:lrf=0.1").0;
    assert!(semi > again && semi < 0.3, "{semi}");
}
