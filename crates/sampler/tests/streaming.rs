//! Streams match plans, account for every item, and resume from any state.

mod common;

use common::{cases, corpora, streamable};
use padwise_sampler::{
    Batching, DropReason, LastBatch, Padding, PlanError, Profile, Sampler, StreamBatch,
    StreamSampler, StreamState,
};
use proptest::prelude::*;

fn run(mut stream: StreamSampler, lengths: &[u32]) -> (Vec<StreamBatch>, StreamSampler) {
    let mut batches = Vec::new();
    for (id, &length) in (0..).zip(lengths) {
        stream.push(id, length).expect("a valid length");
        batches.extend(std::iter::from_fn(|| stream.pop()));
    }
    stream.finish();
    batches.extend(std::iter::from_fn(|| stream.pop()));
    (batches, stream)
}

/// The state after a round trip through JSON.
#[cfg(feature = "serde")]
fn saved(state: &StreamState) -> StreamState {
    let json = serde_json::to_string(state).expect("JSON");
    serde_json::from_str(&json).expect("its own JSON")
}

#[cfg(not(feature = "serde"))]
fn saved(state: &StreamState) -> StreamState {
    state.clone()
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn a_buffer_as_large_as_the_corpus_gives_the_plan(strategy in streamable(), lengths in corpora(), seed: u64) {
        let capacity = 200 * 200 * 200;
        let stream = StreamSampler::new(strategy.clone(), seed, capacity).expect("legal");
        let (batches, _) = run(stream, &lengths);
        let plan = Sampler::new(strategy, seed).expect("legal").plan(&lengths, 0).expect("a plan");
        let planned: Vec<_> = plan
            .batches()
            .map(|b| (b.items().map(|i| (i.sequence as u64, i.start)).collect::<Vec<_>>(), b.padded_length()))
            .collect();
        let streamed: Vec<_> = batches
            .iter()
            .map(|b| (b.items.iter().map(|i| (i.id, i.start)).collect::<Vec<_>>(), b.padded_length))
            .collect();
        prop_assert_eq!(planned, streamed);
    }

    #[test]
    fn every_item_comes_out_once_or_is_accounted_for(
        strategy in streamable(), lengths in corpora(), seed: u64, capacity in 20usize..60
    ) {
        let last_batch = strategy.last_batch;
        let stream = StreamSampler::new(strategy, seed, capacity).expect("legal");
        let (batches, mut stream) = run(stream, &lengths);
        let dropped = stream.take_dropped();
        if last_batch == LastBatch::Keep {
            prop_assert!(dropped.iter().all(|d| d.reason == DropReason::ShorterThanMinimum));
        }
        let mut seen: Vec<_> = batches.iter().flat_map(|b| &b.items).chain(dropped.iter().map(|d| &d.item)).collect();
        let count = seen.len();
        seen.sort_by_key(|i| (i.id, i.start));
        seen.dedup();
        prop_assert_eq!(seen.len(), count, "an item came out twice");
        let ledger = stream.ledger();
        prop_assert_eq!(ledger.received, count);
        prop_assert_eq!(ledger.batched, count - dropped.len());
        prop_assert_eq!(ledger.dropped.values().sum::<usize>(), dropped.len());
        prop_assert_eq!(stream.waiting(), 0);
        let sequences: std::collections::HashSet<u64> = seen.iter().map(|i| i.id).collect();
        prop_assert_eq!(sequences.len(), lengths.len());
    }

    #[test]
    fn batches_of_a_small_buffer_keep_their_limits(
        strategy in streamable(), lengths in corpora(), seed: u64, capacity in 20usize..60
    ) {
        let stream = StreamSampler::new(strategy.clone(), seed, capacity).expect("legal");
        let (batches, stream) = run(stream, &lengths);
        let mut oversized = 0;
        for batch in &batches {
            let longest = batch.items.iter().map(|i| i.length).max().expect("an item");
            prop_assert!(batch.padded_length >= longest);
            let frames = batch.items.len() as u64 * u64::from(batch.padded_length);
            let most_items = match strategy.batching {
                Batching::Fixed { size } => Some(size),
                Batching::Frames { budget, max_items } => {
                    prop_assert!(frames <= budget || batch.items.len() == 1);
                    oversized += usize::from(frames > budget);
                    max_items
                }
                Batching::Dynamic { base, max_items } => {
                    // The limit depends on the longest item so far, which is at most the longest of all.
                    if strategy.padding == Padding::Longest {
                        prop_assert!(frames <= u64::from(base) * u64::from(lengths.iter().copied().max().unwrap_or(0)));
                    }
                    max_items
                }
                Batching::DynamicOvershoot { max_items, .. } => max_items,
                ref other => panic!("{other:?}"),
            };
            prop_assert!(most_items.is_none_or(|most| batch.items.len() <= most as usize));
        }
        prop_assert_eq!(stream.ledger().oversized, oversized);
    }

    #[test]
    fn the_buffer_never_exceeds_its_capacity(
        strategy in streamable(), lengths in corpora(), seed: u64, capacity in 20usize..30
    ) {
        let mut stream = StreamSampler::new(strategy, seed, capacity).expect("legal");
        for (id, &length) in (0..).zip(&lengths) {
            stream.push(id, length).expect("a valid length");
            prop_assert!(stream.waiting() <= capacity);
        }
    }

    #[test]
    fn a_resumed_stream_equals_an_uninterrupted_one(
        strategy in streamable(), lengths in corpora(), seed: u64, capacity in 20usize..60, cut in 0usize..200
    ) {
        let stream = StreamSampler::new(strategy, seed, capacity).expect("legal");
        let (expected, _) = run(stream.clone(), &lengths);
        let mut stream = stream;
        let mut batches = Vec::new();
        for (id, &length) in (0..).zip(&lengths) {
            stream.push(id, length).expect("a valid length");
            if id as usize == cut {
                stream = StreamSampler::resume(saved(stream.state())).expect("a valid state");
            }
            // Take at most one batch, so the saved state contains ready batches.
            batches.extend(stream.pop());
        }
        stream.finish();
        batches.extend(std::iter::from_fn(|| stream.pop()));
        prop_assert_eq!(batches, expected);
    }
}

/// In epoch 0 every window is in the order as built; in a later epoch every window is shuffled.
#[test]
fn shuffle_later_applies_to_every_window_of_later_epochs() {
    let lengths = Profile::LjSpeech.lengths(1000);
    let stream = |line: &str, epoch| {
        let strategy = line.parse().expect("a strategy");
        let stream = StreamSampler::for_epoch(strategy, 3, epoch, 200).expect("legal");
        run(stream, &lengths).0
    };
    let later = "sorted,batch=4,shuffle-later";
    assert_eq!(stream(later, 0), stream("sorted,batch=4", 0));
    let shuffled = stream("sorted,batch=4,shuffle-batches", 1);
    assert_eq!(stream(later, 1), shuffled);
    assert_ne!(shuffled, stream("sorted,batch=4", 1));
}

/// A buffer of a fifth of the corpus needs little more padding than the whole corpus, and as many batches.
#[test]
fn a_smaller_buffer_needs_little_more_padding() {
    let lengths = Profile::LjSpeech.lengths(10_480);
    let strategy: padwise_sampler::Strategy = "sorted,batch=16".parse().expect("a strategy");
    let zpr = |capacity| {
        let (batches, _) = run(
            StreamSampler::new(strategy.clone(), 0, capacity).expect("legal"),
            &lengths,
        );
        assert_eq!(batches.len(), 655);
        let padding = |b: &StreamBatch| {
            let valid: u64 = b.items.iter().map(|i| u64::from(i.length)).sum();
            b.items.len() as f64 - valid as f64 / f64::from(b.padded_length)
        };
        batches.iter().map(padding).sum::<f64>() / 10_480.0
    };
    let (small, large) = (zpr(2_000), zpr(20_000));
    assert!(
        large < 0.002 && small < 0.02 && large < small,
        "{small} {large}"
    );
}

/// Items of buckets that fill slowly wait in the buffer. At the end, as many are left as in a plan of the whole corpus.
#[test]
fn short_batches_wait_instead_of_being_dropped_mid_stream() {
    let lengths = Profile::LjSpeech.lengths(10_480);
    let line = "bucketed:width=10,batch=16";
    let stream = |line: &str, capacity| {
        let strategy = line.parse().expect("a strategy");
        run(
            StreamSampler::new(strategy, 0, capacity).expect("legal"),
            &lengths,
        )
    };
    let (batches, dropping) = stream(&format!("{line},drop-last"), 1000);
    assert!(batches.iter().all(|b| b.items.len() == 16));
    let ledger = dropping.ledger();
    insta::assert_compact_debug_snapshot!(ledger.dropped, @"{LastBatch: 496}");
    assert_eq!(
        ledger.received,
        ledger.batched + ledger.dropped.values().sum::<usize>()
    );

    let (batches, keeping) = stream(line, 1000);
    assert_eq!(
        (keeping.ledger().batched, keeping.ledger().dropped.len()),
        (10_480, 0)
    );
    let short = batches.iter().filter(|b| b.items.len() < 16).count();
    insta::assert_compact_debug_snapshot!((batches.len(), short), @"(699, 148)");
}

/// If every item has a different bucket, a full buffer contains no full batch. Some items are dropped and reported.
#[test]
fn a_buffer_without_a_full_batch_drops_items_and_reports_them() {
    let strategy: padwise_sampler::Strategy = "bucketed:width=1,batch=16,drop-last"
        .parse()
        .expect("a strategy");
    let mut stream = StreamSampler::new(strategy, 0, 16).expect("legal");
    for id in 0..17 {
        stream.push(id, 10 + id as u32).expect("a valid length");
    }
    assert_eq!((stream.waiting(), stream.pop()), (13, None));
    let dropped = stream.take_dropped();
    assert_eq!(dropped.len(), 4);
    assert!(dropped.iter().all(|d| d.reason == DropReason::BufferFull));
    stream.finish();
    assert_eq!(stream.ledger().dropped[&DropReason::LastBatch], 13);
}

#[test]
fn orders_that_need_the_whole_corpus_are_refused() {
    let mxnet: padwise_sampler::Strategy = "bucketed:mxnet,batch=4".parse().expect("a strategy");
    let refused = StreamSampler::new(mxnet, 0, 100).expect_err("needs the whole corpus");
    insta::assert_snapshot!(refused, @"bucketed:mxnet cannot be streamed: its buckets depend on the whole corpus; use bucketed:width, count or optimal");
    let optimal: padwise_sampler::Strategy = "bucketed:optimal=300".parse().expect("a strategy");
    assert!(StreamSampler::new(optimal.clone(), 0, 800_000).is_ok());
    assert!(matches!(
        StreamSampler::new(optimal, 0, 1_000_000),
        Err(PlanError::TooManyCells { .. })
    ));
}

#[test]
fn invalid_buffers_and_items_are_refused() {
    let strategy: padwise_sampler::Strategy = "random,batch=16".parse().expect("a strategy");
    let too_small = StreamSampler::new(strategy.clone(), 0, 15).expect_err("too small");
    insta::assert_snapshot!(too_small, @"a buffer of 15 items cannot hold one batch of 16: use at least 16");
    let mut stream = StreamSampler::new(strategy, 0, 16).expect("legal");
    insta::assert_snapshot!(stream.push(3, 0).expect_err("no frames"), @"item 3 has 0 frames: an utterance has from 1 to 2147483647");
    insta::assert_snapshot!(stream.push(7, u32::MAX).expect_err("no length"), @"item 7 has 4294967295 frames: an utterance has from 1 to 2147483647");
    stream.finish();
    insta::assert_snapshot!(stream.push(4, 10).expect_err("finished"), @"item 4 was pushed after finish(): start the next epoch with a new stream");
}
