//! Corners that every strategy must answer: tiny corpora, equal lengths, parameters larger than the corpus.

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
    insta::assert_snapshot!(refused("random", &[]), @"there are no lengths to plan: the corpus, or what a filter left of it, is empty");
    insta::assert_snapshot!(refused("random", &[3, 0]), @"lengths[1] is 0: an utterance has at least one frame; remove it from the corpus");
    insta::assert_snapshot!(refused("random", &[u32::MAX]), @"lengths[0] is 4294967295: more than the 2147483647 frames that an utterance can have");
    insta::assert_snapshot!(refused("bucketed:mxnet,batch=4", &[3, 3, 3, 5, 6]), @"bucketed:mxnet makes a bucket of every length that occurs at least 4 times, and none does: use bucketed:width, count or optimal");
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
            "{line}: no batch, no padding to speak of"
        );
        assert!(dropped.largest_batch().is_none(), "{line}");
        assert!(dropped.shard(0, 2).expect("a rank").is_empty(), "{line}");
    }
}

#[test]
fn an_item_over_the_budget_goes_alone_and_is_reported() {
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
fn mxnet_drops_what_is_longer_than_its_largest_bucket_and_the_remainders() {
    // 10 occurs three times and 20 twice: at batch size 2 both are buckets, 15 pads to 20, and 30 fits in none.
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

/// Dropped remainders are dropped for one epoch: over several, every item gets its turn.
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
fn dynamic_batches_of_the_longest_have_the_base_size_even_when_padded_wider() {
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
    insta::assert_snapshot!(plan.shard(2, 2).expect_err("no such rank"), @"rank 2 of a world of 2: ranks count from 0, and a world has at least one");
    insta::assert_snapshot!(plan.shard(0, 0).expect_err("no ranks"), @"rank 0 of a world of 0: ranks count from 0, and a world has at least one");
    assert!(plan.shard(0, 1 << 20).is_ok());
    insta::assert_snapshot!(plan.shard(0, usize::MAX).expect_err("too many ranks"), @"a world of 18446744073709551615 ranks: there can be at most 1048576");
}

#[test]
fn a_search_for_buckets_that_would_fill_the_memory_is_refused() {
    let lengths: Vec<u32> = (1..=40_000).collect();
    assert!(matches!(
        refused("bucketed:optimal=20000,batch=1", &lengths),
        PlanError::TooManyCells {
            buckets: 20_000,
            lengths: 40_000
        }
    ));
    let one_for_each = plan("bucketed:optimal=40000,batch=1", &lengths, 0, 0);
    assert_eq!(one_for_each.len(), 40_000);
}

#[test]
fn more_chunks_than_item_numbers_are_refused_at_once() {
    let refused = refused("random,chunk=1", &[i32::MAX as u32, 1]);
    insta::assert_snapshot!(refused, @"2147483648 items: a plan holds at most 2147483647; use larger chunks or plan the corpus in parts");
}

#[test]
fn noise_without_bounds_is_random_order() {
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
    assert!(!first.is_sorted(), "{first:?} is the corpus's own order");
}

#[test]
fn a_quantile_of_anything_is_a_length() {
    for profile in padwise_sampler::Profile::ALL {
        let shortest = profile.quantile(0.0);
        for nothing in [f64::NAN, f64::NEG_INFINITY, -1.0] {
            assert_eq!(profile.quantile(nothing), shortest);
        }
        assert_eq!(profile.quantile(f64::INFINITY), profile.quantile(1.0));
    }
}

/// The shape of the figures outlives the process that made them.
#[test]
fn figures_and_ledgers_can_be_read_back() {
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
