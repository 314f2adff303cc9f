//! A stream batches as a plan does, loses nothing, and goes on from any state as if it had never stopped.

mod common;

use common::{cases, corpora, legal};
use padwise_sampler::{Profile, Sampler, StreamBatch, StreamSampler, StreamState};
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

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn a_buffer_as_large_as_the_corpus_gives_the_plan(strategy in legal(), lengths in corpora(), seed: u64) {
        let capacity = 200 * 200 * 200;
        let stream = StreamSampler::new(strategy.clone(), seed, capacity).expect("legal");
        let (batches, _) = run(stream, &lengths);
        let Ok(plan) = Sampler::new(strategy, seed).expect("legal").plan(&lengths, 0) else { return Ok(()) };
        let planned: Vec<_> = plan
            .batches()
            .map(|b| (b.items().map(|i| (i.utterance as u64, i.start)).collect::<Vec<_>>(), b.padded_length()))
            .collect();
        let streamed: Vec<_> = batches
            .iter()
            .map(|b| (b.items.iter().map(|i| (i.id, i.start)).collect::<Vec<_>>(), b.padded_length))
            .collect();
        prop_assert_eq!(planned, streamed);
    }

    #[test]
    fn every_item_comes_out_once_or_is_accounted_for(
        strategy in legal(), lengths in corpora(), seed: u64, capacity in 20usize..60
    ) {
        let stream = StreamSampler::new(strategy, seed, capacity).expect("legal");
        let (batches, mut stream) = run(stream, &lengths);
        let dropped = stream.take_dropped();
        let mut seen: Vec<_> = batches.iter().flat_map(|b| &b.items).chain(dropped.iter().map(|d| &d.item)).collect();
        let count = seen.len();
        seen.sort_by_key(|i| (i.id, i.start));
        seen.dedup();
        prop_assert_eq!(seen.len(), count, "an item came out twice");
        let ledger = stream.ledger();
        prop_assert_eq!(ledger.received, count as u64);
        prop_assert_eq!(ledger.batched, count as u64 - dropped.len() as u64);
        prop_assert_eq!(ledger.dropped.values().sum::<u64>(), dropped.len() as u64);
        prop_assert_eq!(stream.waiting(), 0);
        let utterances: std::collections::HashSet<u64> = seen.iter().map(|i| i.id).collect();
        prop_assert_eq!(utterances.len(), lengths.len());
    }

    #[test]
    fn a_resumed_stream_equals_an_uninterrupted_one(
        strategy in legal(), lengths in corpora(), seed: u64, capacity in 20usize..60, cut in 0usize..200
    ) {
        let stream = StreamSampler::new(strategy, seed, capacity).expect("legal");
        let (expected, _) = run(stream.clone(), &lengths);
        let mut stream = stream;
        let mut batches = Vec::new();
        for (id, &length) in (0..).zip(&lengths) {
            stream.push(id, length).expect("a valid length");
            if id as usize == cut {
                let kept = serde_json::to_string(stream.state()).expect("JSON");
                let state: StreamState = serde_json::from_str(&kept).expect("its own JSON");
                stream = StreamSampler::resume(state).expect("a valid state");
            }
            // One at most: batches are waiting when the state is kept.
            batches.extend(stream.pop());
        }
        stream.finish();
        batches.extend(std::iter::from_fn(|| stream.pop()));
        prop_assert_eq!(batches, expected);
    }
}

/// A buffer of a fifth of the corpus keeps nearly all of what sorting gains, and makes no more short batches.
#[test]
fn a_smaller_buffer_pads_a_little_more_and_leaves_no_more_short_batches() {
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

#[test]
fn a_stream_refuses_what_it_cannot_take() {
    let strategy: padwise_sampler::Strategy = "random,batch=16".parse().expect("a strategy");
    let too_small = StreamSampler::new(strategy.clone(), 0, 15).expect_err("too small");
    insta::assert_snapshot!(too_small, @"a buffer of 15 items cannot hold one batch of 16: use at least 16");
    let mut stream = StreamSampler::new(strategy, 0, 16).expect("legal");
    insta::assert_snapshot!(stream.push(3, 0).expect_err("no frames"), @"lengths[0] is 0: an utterance has at least one frame; remove it from the corpus");
    stream.finish();
    insta::assert_snapshot!(stream.push(4, 10).expect_err("finished"), @"item 4 was pushed after finish(): begin the next epoch with a new stream");
}
