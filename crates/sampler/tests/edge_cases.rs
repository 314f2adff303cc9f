//! Edge cases of every strategy: tiny corpora, equal lengths, parameters larger than the corpus.

mod common;

use common::plan;
use padwise_sampler::{DropReason, PlanError, Sampler, Strategy};

const EVERY_ORDER: [&str; 9] = [
    "random",
    "sorted",
    "alternated:bins=64",
    "semi-sorted:lrf=0.1",
    "bucketed:width=250",
    "bucketed:count=1024",
    "bucketed:optimal=6",
    "bucketed:mxnet,batch=1",
    "smart",
];

fn refused(line: &str, lengths: &[u32]) -> PlanError {
    let strategy: Strategy = line.parse().expect("a strategy");
    Sampler::new(strategy, 0)
        .expect("legal")
        .plan(lengths, 0)
        .expect_err("must be refused")
}

#[test]
fn an_empty_corpus_and_impossible_lengths_are_refused() {
    for line in EVERY_ORDER {
        assert_eq!(refused(line, &[]), PlanError::Empty, "{line}");
        assert_eq!(
            refused(line, &[5, 0, 7]),
            PlanError::ZeroLength { index: 1 },
            "{line}"
        );
        let length = u32::MAX;
        assert_eq!(
            refused(line, &[5, length]),
            PlanError::LengthTooLarge { index: 1, length },
            "{line}"
        );
    }
    insta::assert_snapshot!(refused("random", &[]), @"no lengths to plan: the corpus is empty, or a filter removed every utterance");
    insta::assert_snapshot!(refused("random", &[3, 0]), @"lengths[1] is 0: every utterance needs at least one frame; remove it from the corpus");
    insta::assert_snapshot!(refused("random", &[u32::MAX]), @"lengths[0] is 4294967295: an utterance can have at most 2147483647 frames");
    insta::assert_snapshot!(refused("bucketed:mxnet,batch=4", &[3, 3, 3, 5, 6]), @"bucketed:mxnet found no bucket, because no length occurs at least 4 times (the batch size): use bucketed:width, count or optimal");
}

#[test]
fn one_item_is_one_batch() {
    for line in EVERY_ORDER {
        let plan = plan(line, &[37], 0, 0);
        assert_eq!(plan.len(), 1, "{line}");
        let stats = plan.stats();
        assert_eq!((stats.zpr, stats.abl), (Some(0.0), Some(37.0)), "{line}");
        assert_eq!(stats.adjacent_correlation, None, "{line}");
    }
}

#[test]
fn equal_lengths_need_no_padding() {
    for line in EVERY_ORDER {
        let stats = plan(line, &[50; 100], 0, 0).stats();
        assert_eq!(stats.zpr, Some(0.0), "{line}");
        assert!(stats.batches == 7 || line.contains("batch=1"), "{line}");
    }
}

#[test]
fn a_batch_size_above_the_corpus_is_one_short_batch_kept_or_dropped() {
    for line in [
        "random",
        "sorted",
        "alternated:bins=3",
        "semi-sorted:lrf=0.1",
        "smart",
    ] {
        let kept = plan(&format!("{line},batch=1000"), &[5, 6, 7], 0, 0);
        assert_eq!(kept.len(), 1, "{line}");
        let dropped = plan(&format!("{line},batch=1000,drop-last"), &[5, 6, 7], 0, 0);
        assert!(dropped.is_empty(), "{line}");
        assert_eq!(
            dropped.ledger().dropped_for(DropReason::LastBatch),
            3,
            "{line}"
        );
        let stats = dropped.stats();
        assert_eq!(
            (stats.zpr, stats.abl, stats.pooled_padding),
            (None, None, None),
            "{line}: statistics without batches"
        );
        assert!(dropped.largest_batch().is_none(), "{line}");
        assert!(dropped.shard(0, 2).expect("a rank").is_empty(), "{line}");
    }
}

#[test]
fn an_item_over_the_budget_is_a_batch_alone_and_reported() {
    for line in ["random", "sorted", "smart", "bucketed:optimal=2"] {
        let plan = plan(&format!("{line},frames=100"), &[30, 40, 500, 35, 20], 0, 0);
        let alone: Vec<_> = plan.batches().filter(|b| b.padded_frames() > 100).collect();
        assert_eq!(alone.len(), 1, "{line}");
        assert_eq!(alone[0].lengths(), [500], "{line}");
        assert_eq!(
            plan.ledger().oversized(),
            [alone[0].items().next().expect("one")],
            "{line}"
        );
        assert_eq!(
            plan.largest_batch().expect("a batch").index(),
            alone[0].index(),
            "{line}"
        );
    }
}

#[test]
fn mxnet_drops_remainders_and_items_beyond_its_largest_bucket() {
    // At batch size 2, 10 (three times) and 20 (twice) are buckets. 15 is padded to 20, and 30 fits into neither.
    let plan = plan(
        "bucketed:mxnet,batch=2,shuffle-batches,drop-last,pad=bucket",
        &[10, 10, 10, 20, 20, 15, 30],
        0,
        0,
    );
    let mut padded: Vec<u32> = plan.batches().map(|b| b.padded_length()).collect();
    padded.sort_unstable();
    assert_eq!(padded, [10, 20]);
    assert_eq!(
        plan.ledger()
            .dropped_for(DropReason::LongerThanLargestBucket),
        1
    );
    assert_eq!(plan.ledger().dropped_for(DropReason::LastBatch), 2);
    let mxnet = Sampler::new(Strategy::mxnet(2), 0).expect("legal");
    let same = mxnet
        .plan(&[10, 10, 10, 20, 20, 15, 30], 0)
        .expect("a plan");
    assert_eq!(plan, same);
}

/// Remainders are dropped for one epoch. Over several epochs, every item is trained.
#[test]
fn remainders_are_dropped_for_one_epoch_only() {
    let lengths = [10; 7];
    let mut trained = [false; 7];
    for epoch in 0..20 {
        let plan = plan("bucketed:mxnet,batch=2,drop-last", &lengths, 0, epoch);
        plan.batches()
            .flat_map(|b| b.items())
            .for_each(|i| trained[i.sequence] = true);
    }
    assert!(trained.iter().all(|&t| t));
}

#[test]
fn dynamic_batches_of_the_longest_items_have_the_base_size() {
    let lengths = vec![101; 64];
    for line in [
        "sorted,dynamic=16",
        "sorted,dynamic=16,pad=multiple:64",
        "bucketed:width=250,dynamic=16,pad=bucket",
    ] {
        let plan = plan(line, &lengths, 0, 0);
        assert!(plan.batches().all(|b| b.len() == 16), "{line}");
    }
}

#[test]
fn ranks_outside_the_world_are_refused() {
    let plan = plan("random,batch=2", &[1, 2, 3], 0, 0);
    insta::assert_snapshot!(plan.shard(2, 2).expect_err("no such rank"), @"rank 2 of 2 is out of range: ranks count from 0");
    insta::assert_snapshot!(plan.shard(0, 0).expect_err("no ranks"), @"rank 0 of 0 is out of range: ranks count from 0");
    assert!(plan.shard(0, 1 << 20).is_ok());
    insta::assert_snapshot!(plan.shard(0, usize::MAX).expect_err("too many ranks"), @"18446744073709551615 ranks: a plan can be sharded over at most 1048576");
}

#[test]
fn a_table_for_optimal_buckets_that_is_too_large_is_refused() {
    let lengths: Vec<u32> = (1..=40_000).collect();
    assert!(matches!(
        refused("bucketed:optimal=20000,batch=1", &lengths),
        PlanError::TooManyCells {
            buckets: 20_000,
            lengths: 40_000
        }
    ));
    let one_per_length = plan("bucketed:optimal=40000,batch=1", &lengths, 0, 0);
    assert_eq!(one_per_length.len(), 40_000);
}

#[test]
fn too_many_chunks_are_refused() {
    let refused = refused("random,chunk=1", &[i32::MAX as u32, 1]);
    insta::assert_snapshot!(refused, @"2147483648 items: a plan can have at most 2147483647; use larger chunks or split the corpus");
}

#[test]
fn unlimited_noise_is_random_order() {
    let lengths: Vec<u32> = (0..2000).map(|i| 1 + i % 1000).collect();
    let zpr = |line| plan(line, &lengths, 0, 0).stats().zpr.expect("a batch");
    let (random, noisy) = (zpr("random"), zpr("semi-sorted:lrf=1e308"));
    assert!((random - noisy).abs() < 0.03, "{random} {noisy}");
    let noisy = plan("semi-sorted:lrf=1e308", &lengths, 0, 0);
    let first: Vec<usize> = noisy
        .batches()
        .take(1)
        .flat_map(|b| b.items())
        .map(|i| i.sequence)
        .collect();
    assert!(!first.is_sorted(), "{first:?} is the order of the corpus");
}

#[test]
fn quantiles_of_invalid_probabilities_are_clamped() {
    for profile in padwise_sampler::Profile::ALL {
        let shortest = profile.quantile(0.0);
        for invalid in [f64::NAN, f64::NEG_INFINITY, -1.0] {
            assert_eq!(profile.quantile(invalid), shortest);
        }
        assert_eq!(profile.quantile(f64::INFINITY), profile.quantile(1.0));
    }
}

#[cfg(feature = "serde")]
#[test]
fn statistics_and_ledgers_can_be_read_back() {
    let plan = plan(
        "random,batch=2,drop-last,chunk=10,min-chunk=5",
        &[23, 17, 8],
        0,
        0,
    );
    let stats = serde_json::to_string(&plan.stats()).expect("JSON");
    assert_eq!(
        serde_json::from_str::<padwise_sampler::Stats>(&stats).expect("its own"),
        plan.stats()
    );
    let ledger = serde_json::to_string(plan.ledger()).expect("JSON");
    assert_eq!(
        &serde_json::from_str::<padwise_sampler::Ledger>(&ledger).expect("its own"),
        plan.ledger()
    );
}
