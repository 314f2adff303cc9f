//! Properties that hold for every strategy on every corpus.

mod common;

use std::collections::HashMap;

use common::{cases, corpora, legal, planned};
use padwise_sampler::{Strategy, *};
use proptest::prelude::*;

fn batches_of(plan: &Plan) -> Vec<(Vec<Item>, u32)> {
    plan.batches()
        .map(|b| (b.items().collect(), b.padded_length()))
        .collect()
}

/// The items of a corpus, computed by a simple loop.
fn expected_items(strategy: &Strategy, lengths: &[u32]) -> Vec<Item> {
    let mut items = Vec::new();
    for (sequence, &length) in lengths.iter().enumerate() {
        match strategy.items {
            Items::Sequences => items.push(Item {
                sequence,
                start: 0,
                length,
            }),
            Items::Chunks(chunks) => {
                let mut start = 0;
                loop {
                    let end = (start + chunks.size).min(length);
                    items.push(Item {
                        sequence,
                        start,
                        length: end - start,
                    });
                    if end == length {
                        break;
                    }
                    start += chunks.step();
                }
            }
            other => panic!("{other:?}"),
        }
    }
    items
}

/// The padded length of a batch with this longest item.
fn padded_alone(strategy: &Strategy, length: u32, bucket: u32) -> u32 {
    match strategy.padding {
        Padding::Longest => length,
        Padding::Multiple(multiple) => length.next_multiple_of(multiple),
        Padding::Bucket => bucket,
        other => panic!("{other:?}"),
    }
}

/// The length in the limit of dynamic sizes: the padded length of the longest item, or the widest bucket.
fn widest_padding(strategy: &Strategy, longest_item: u32) -> u32 {
    let widest_bucket = match strategy.order {
        Order::Bucketed(Buckets::Width(width)) => longest_item.next_multiple_of(width),
        // Other buckets are never wider than the longest item.
        _ => longest_item,
    };
    padded_alone(strategy, longest_item, widest_bucket)
}

/// Checks that batches are padded to the narrowest bucket that fits, and that widths are item lengths or multiples.
fn check_bucket_widths(
    strategy: &Strategy,
    plan: &Plan,
    items: &[Item],
) -> Result<(), TestCaseError> {
    let Order::Bucketed(buckets) = &strategy.order else {
        return Err(TestCaseError::fail("no buckets to pad to"));
    };
    let mut widths: Vec<u32> = plan.batches().map(|b| b.padded_length()).collect();
    widths.sort_unstable();
    widths.dedup();
    if let Buckets::Optimal(most) = buckets {
        prop_assert!(widths.len() <= *most as usize);
    }
    for &width in &widths {
        match buckets {
            Buckets::Width(step) => prop_assert_eq!(width % step, 0),
            _ => prop_assert!(items.iter().any(|item| item.length == width)),
        }
    }
    for batch in plan.batches() {
        let narrower = widths.iter().rfind(|&&w| w < batch.padded_length());
        for &length in batch.lengths() {
            match buckets {
                // A boundary between two runs can separate items of equal length.
                Buckets::Count(_) => prop_assert!(narrower.is_none_or(|&w| length >= w)),
                _ => prop_assert!(narrower.is_none_or(|&w| length > w)),
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn every_item_is_in_one_batch_or_in_the_ledger(strategy in legal(), lengths in corpora(), seed: u64, epoch in 0u64..9) {
        let Some(plan) = planned(&strategy, &lengths, seed, epoch) else { return Ok(()) };
        let mut seen: HashMap<Item, u32> = HashMap::new();
        plan.batches().flat_map(|b| b.items()).for_each(|i| *seen.entry(i).or_default() += 1);
        plan.ledger().dropped().iter().for_each(|d| *seen.entry(d.item).or_default() += 1);
        let expected = expected_items(&strategy, &lengths);
        prop_assert_eq!(seen.len(), expected.len());
        for item in expected {
            prop_assert_eq!(seen.get(&item), Some(&1), "{:?}", item);
        }
        let batched: usize = plan.batches().map(|b| b.len()).sum();
        prop_assert_eq!(plan.ledger().items(), batched + plan.ledger().dropped().len());
        prop_assert_eq!((plan.stats().items, plan.stats().dropped), (plan.ledger().items(), plan.ledger().dropped().len()));
        if strategy.last_batch == LastBatch::Keep {
            prop_assert_eq!(plan.ledger().dropped_for(DropReason::LastBatch), 0);
        }
    }

    #[test]
    fn batches_keep_their_limits(strategy in legal(), lengths in corpora(), seed: u64) {
        let Some(plan) = planned(&strategy, &lengths, seed, 0) else { return Ok(()) };
        let mut oversized = Vec::new();
        let mut items = expected_items(&strategy, &lengths);
        if let Items::Chunks(chunks) = strategy.items {
            items.retain(|item| item.length >= chunks.minimum());
        }
        let longest_item = items.iter().map(|item| item.length).max().unwrap_or(0);
        let cap = |base: u32| u64::from(base) * u64::from(widest_padding(&strategy, longest_item));
        if strategy.padding == Padding::Bucket {
            check_bucket_widths(&strategy, &plan, &items)?;
        }
        for batch in plan.batches() {
            let longest = batch.lengths().iter().copied().max().unwrap_or(0);
            prop_assert!(!batch.is_empty() && batch.padded_length() >= longest);
            match strategy.padding {
                Padding::Longest => prop_assert_eq!(batch.padded_length(), longest),
                Padding::Multiple(m) => prop_assert_eq!(batch.padded_length(), longest.next_multiple_of(m)),
                _ => {} // checked above
            }
            match strategy.batching {
                Batching::Fixed { size } => prop_assert!(batch.len() <= size as usize),
                Batching::Frames { budget, max_items } => {
                    prop_assert!(max_items.is_none_or(|most| batch.len() <= most as usize));
                    if batch.padded_frames() > budget {
                        prop_assert_eq!(batch.len(), 1);
                        oversized.extend(batch.items());
                    }
                }
                Batching::Dynamic { base, max_items } => {
                    prop_assert!(max_items.is_none_or(|most| batch.len() <= most as usize));
                    prop_assert!(batch.padded_frames() <= cap(base), "{} > {}", batch.padded_frames(), cap(base));
                }
                Batching::DynamicOvershoot { base, max_items } => {
                    prop_assert!(max_items.is_none_or(|most| batch.len() <= most as usize));
                    // Only the last item may exceed the limit.
                    let (_, others) = batch.lengths().split_last().expect("an item");
                    let padded = others.iter().map(|&l| padded_alone(&strategy, l, batch.padded_length())).max().unwrap_or(0);
                    prop_assert!(others.len() as u64 * u64::from(padded) <= cap(base));
                }
                ref other => panic!("{other:?}"),
            }
        }
        oversized.sort();
        let mut reported = plan.ledger().oversized().to_vec();
        reported.sort();
        prop_assert_eq!(oversized, reported);
    }

    /// With fixed sizes, a group has at most one short batch, and none with `drop-last`.
    #[test]
    fn only_the_last_batch_of_a_group_is_short(strategy in legal(), lengths in corpora(), seed: u64) {
        let Batching::Fixed { size } = strategy.batching else { return Ok(()) };
        let Some(plan) = planned(&strategy, &lengths, seed, 0) else { return Ok(()) };
        let short = plan.batches().filter(|b| b.len() < size as usize).count();
        match (strategy.last_batch, &strategy.order) {
            (LastBatch::Drop, _) => prop_assert_eq!(short, 0),
            (LastBatch::Keep, Order::Bucketed(_)) => {}
            _ => prop_assert!(short <= 1),
        }
    }

    #[test]
    fn batch_orders_sort_or_shuffle_the_same_batches(
        strategy in legal(), lengths in corpora(), seed: u64, epoch in 0u64..3
    ) {
        let Some(plan) = planned(&strategy, &lengths, seed, epoch) else { return Ok(()) };
        let padded: Vec<u32> = plan.batches().map(|b| b.padded_length()).collect();
        match strategy.batch_order {
            BatchOrder::ShortFirst => prop_assert!(padded.is_sorted()),
            BatchOrder::LongFirst => prop_assert!(padded.iter().rev().is_sorted()),
            _ => {
                // The batches are those of the plan as built.
                let mut as_built = strategy.clone();
                as_built.batch_order = BatchOrder::AsBuilt;
                let mut expected = batches_of(&planned(&as_built, &lengths, seed, epoch).expect("as above"));
                let mut got = batches_of(&plan);
                let later = strategy.batch_order == BatchOrder::ShuffledLater && epoch > 0;
                if later {
                    let mut shuffled = strategy.clone();
                    shuffled.batch_order = BatchOrder::Shuffled;
                    let shuffled = planned(&shuffled, &lengths, seed, epoch).expect("as above");
                    prop_assert_eq!(&got, &batches_of(&shuffled));
                }
                if later || strategy.batch_order == BatchOrder::Shuffled {
                    expected.sort();
                    got.sort();
                }
                prop_assert_eq!(got, expected);
            }
        }
    }

    #[test]
    fn the_same_inputs_give_the_same_plan(strategy in legal(), lengths in corpora(), seed: u64, epoch: u64) {
        prop_assert_eq!(planned(&strategy, &lengths, seed, epoch), planned(&strategy, &lengths, seed, epoch));
    }

    #[test]
    fn resumed_equals_uninterrupted(strategy in legal(), lengths in corpora(), seed: u64, cut in 0.0f64..1.0) {
        let Some(plan) = planned(&strategy, &lengths, seed, 4) else { return Ok(()) };
        let batch = (cut * plan.len() as f64) as usize;
        let sampler = Sampler::new(strategy, seed).expect("legal");
        let again = sampler.resume(&lengths, Position { epoch: 4, batch }).expect("a position in the plan");
        let rest: Vec<_> = again.batches_from(batch).map(|b| (b.index(), b.items().collect::<Vec<_>>())).collect();
        let expected: Vec<_> =
            plan.batches().skip(batch).map(|b| (b.index(), b.items().collect::<Vec<_>>())).collect();
        prop_assert_eq!(rest, expected);
        let past_the_end = Position { epoch: 4, batch: plan.len() + 1 };
        prop_assert!(sampler.resume(&lengths, past_the_end).is_err());
    }

    #[test]
    fn shards_are_equal_disjoint_complete_and_balanced(
        strategy in legal(), lengths in corpora(), seed: u64, world in 1usize..9
    ) {
        let Some(plan) = planned(&strategy, &lengths, seed, 0) else { return Ok(()) };
        let shards: Vec<Shard> = (0..world).map(|rank| plan.shard(rank, world).expect("a rank")).collect();
        let steps = shards[0].len();
        prop_assert!(shards.iter().all(|s| s.len() == steps));
        let mut trained = vec![0; plan.len()];
        shards.iter().flat_map(|s| s.batches()).for_each(|b| trained[b.index()] += 1);
        for (batch, times) in trained.into_iter().enumerate() {
            let dropped = shards[0].dropped().iter().filter(|&&d| d == batch).count();
            let duplicated = shards[0].duplicated().iter().filter(|&&d| d == batch).count();
            prop_assert_eq!(times, 1 + duplicated - dropped);
        }
        match strategy.last_batch {
            LastBatch::Keep => prop_assert!(shards[0].dropped().is_empty()),
            _ => prop_assert!(shards[0].duplicated().is_empty()),
        }
        prop_assert!(shards[0].dropped().len() < world && shards[0].duplicated().len() < world);
        for shard in &shards {
            let trained: Vec<usize> = shard.batches().map(|b| b.index()).collect();
            prop_assert_eq!(shard.batch_indices(), trained);
        }
        let work: Vec<u64> = shards.iter().map(|s| s.padded_frames()).collect();
        prop_assert_eq!(&work[..], shards[0].padded_frames_by_rank());
        let largest = plan.largest_batch().map_or(0, |b| b.padded_frames());
        let spread = work.iter().max().expect("a rank") - work.iter().min().expect("a rank");
        prop_assert!(spread <= largest, "{spread} > {largest}");
        prop_assert!(plan.shard(world, world).is_err());
    }
}

/// Epochs differ, except for sorted order with distinct lengths.
#[test]
fn epochs_differ() {
    let lengths: Vec<u32> = (0..600).map(|i| 50 + (i * 7919) % 499).collect();
    let distinct: Vec<u32> = (0..600).map(|i| 50 + (i * 7919) % 601).collect();
    for line in [
        "random",
        "sorted",
        "alternated:bins=8",
        "semi-sorted:lrf=0.1",
        "bucketed:width=50",
        "bucketed:count=64",
        "bucketed:optimal=6",
        "smart",
    ] {
        assert_ne!(
            batches_of(&common::plan(line, &lengths, 1, 0)),
            batches_of(&common::plan(line, &lengths, 1, 1)),
            "{line}"
        );
        let distinct_epochs =
            [0, 1].map(|epoch| batches_of(&common::plan(line, &distinct, 1, epoch)));
        assert_eq!(
            distinct_epochs[0] == distinct_epochs[1],
            line == "sorted",
            "{line}"
        );
    }
}
