//! Shared test code: generators of strategies and corpora, and the real lengths if available.
#![allow(
    dead_code,
    missing_docs,
    reason = "each test file uses a part of this module"
)]

use std::io::Write;
use std::path::PathBuf;

use padwise_sampler::{Strategy, *};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

/// A configuration with this many cases and a fixed seed.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: proptest::test_runner::RngSeed::Fixed(0),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

pub fn plan(line: &str, lengths: &[u32], seed: u64, epoch: u64) -> Plan {
    let strategy: Strategy = line.parse().unwrap_or_else(|e| panic!("{line}: {e}"));
    let sampler = Sampler::new(strategy, seed).unwrap_or_else(|e| panic!("{line}: {e}"));
    sampler
        .plan(lengths, epoch)
        .unwrap_or_else(|e| panic!("{line}: {e}"))
}

/// The plan, or `None` if MXNet's rule finds no bucket.
pub fn planned(strategy: &Strategy, lengths: &[u32], seed: u64, epoch: u64) -> Option<Plan> {
    let sampler = Sampler::new(strategy.clone(), seed).expect("a legal strategy");
    match sampler.plan(lengths, epoch) {
        Ok(plan) => Some(plan),
        Err(PlanError::NoFrequentLength { .. }) => None,
        Err(other) => panic!("{strategy}: {other}"),
    }
}

/// Every kind of order, with small and large parameters.
pub fn orders() -> impl proptest::strategy::Strategy<Value = Order> {
    prop_oneof![
        Just(Order::Random),
        Just(Order::Sorted),
        (1u32..40).prop_map(|bins| Order::Alternated { bins }),
        (0.0f64..2.0).prop_map(|lrf| Order::SemiSorted { lrf }),
        (1u32..300).prop_map(|width| Order::Bucketed(Buckets::Width(width))),
        (1u32..100).prop_map(|count| Order::Bucketed(Buckets::Count(count))),
        Just(Order::Bucketed(Buckets::Mxnet)),
        (1u32..20).prop_map(|buckets| Order::Bucketed(Buckets::Optimal(buckets))),
        Just(Order::Smart),
    ]
}

pub fn batchings() -> impl proptest::strategy::Strategy<Value = Batching> {
    let max_items = || proptest::option::of(1u32..20);
    prop_oneof![
        (1u32..20).prop_map(|size| Batching::Fixed { size }),
        (1u64..5000, max_items())
            .prop_map(|(budget, max_items)| Batching::Frames { budget, max_items }),
        (1u32..20, max_items()).prop_map(|(base, max_items)| Batching::Dynamic { base, max_items }),
        (1u32..20, max_items())
            .prop_map(|(base, max_items)| Batching::DynamicOvershoot { base, max_items }),
    ]
}

pub fn items() -> impl proptest::strategy::Strategy<Value = Items> {
    let chunks = (1u32..200).prop_flat_map(|size| {
        let part = || proptest::option::of(1..=size);
        (part(), part()).prop_map(move |(step, minimum)| {
            let mut chunks = Chunks::new(size);
            chunks.step = step;
            chunks.minimum = minimum;
            Items::Chunks(chunks)
        })
    });
    prop_oneof![3 => Just(Items::Sequences), 1 => chunks]
}

/// Any combination of settings, valid or not.
pub fn combinations() -> impl proptest::strategy::Strategy<Value = Strategy> {
    let last_batch = prop_oneof![Just(LastBatch::Keep), Just(LastBatch::Drop)];
    let padding = prop_oneof![
        Just(Padding::Longest),
        Just(Padding::Bucket),
        (1u32..20).prop_map(Padding::Multiple)
    ];
    let batch_order = prop_oneof![
        Just(BatchOrder::AsBuilt),
        Just(BatchOrder::Shuffled),
        Just(BatchOrder::ShuffledLater),
        Just(BatchOrder::ShortFirst),
        Just(BatchOrder::LongFirst)
    ];
    (
        items(),
        orders(),
        batchings(),
        last_batch,
        padding,
        batch_order,
    )
        .prop_map(
            |(items, order, batching, last_batch, padding, batch_order)| {
                let mut strategy = Strategy::new(order, batching);
                strategy.items = items;
                strategy.last_batch = last_batch;
                strategy.padding = padding;
                strategy.batch_order = batch_order;
                strategy
            },
        )
}

pub fn legal() -> impl proptest::strategy::Strategy<Value = Strategy> {
    combinations().prop_filter("legal", |s| s.validate().is_ok())
}

/// The strategies that streams support: all but MXNet's buckets, which need the whole corpus.
pub fn streamable() -> impl proptest::strategy::Strategy<Value = Strategy> {
    legal().prop_filter("not MXNet's", |s| {
        s.order != Order::Bucketed(Buckets::Mxnet)
    })
}

/// Corpora of all shapes: few lengths or many, short or long, one item or hundreds.
pub fn corpora() -> impl proptest::strategy::Strategy<Value = Vec<u32>> {
    prop_oneof![
        prop::collection::vec(1u32..6, 1..200),
        prop::collection::vec(1u32..1000, 1..200),
        prop::collection::vec(100u32..103, 1..40),
        (1u32..500, 1usize..60).prop_map(|(length, n)| vec![length; n]),
    ]
}

/// Reads lengths from the length file of a real corpus. Without the file, prints that the test is skipped.
pub fn real_lengths(
    test: &str,
    file: &str,
    keep: impl Fn(&[&str]) -> bool,
    length: impl Fn(&[&str]) -> u32,
) -> Option<Vec<u32>> {
    let folder = std::env::var_os("PADWISE_DATA")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    let path = folder.join("lengths").join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        // The test harness captures the output of print macros, but not of direct writes.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED {test}: no {} (set PADWISE_DATA)",
            path.display()
        );
        return None;
    };
    let lengths = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter(|fields| keep(fields))
        .map(|fields| length(&fields))
        .collect();
    Some(lengths)
}

fn second_column(fields: &[&str]) -> u32 {
    fields[1].parse().expect("a whole number")
}

pub fn ljspeech_train(test: &str) -> Option<Vec<u32>> {
    real_lengths(test, "ljspeech.csv", |f| f[3] == "train", second_column)
}

pub fn librispeech(test: &str) -> Option<Vec<u32>> {
    real_lengths(test, "librispeech.csv", |_| true, second_column)
}

/// The training sets, in frames of 25 ms every 10 ms, as in scripts/derive_length_profiles.py.
pub fn chime4_train(test: &str) -> Option<Vec<u32>> {
    let is_training = |f: &[&str]| matches!(f[0], "tr05_real" | "tr05_simu");
    let frames = |f: &[&str]| {
        let seconds: f64 = f[1].parse().expect("a number");
        (((seconds - 0.025) / 0.010).floor() + 1.0).max(1.0) as u32
    };
    real_lengths(test, "chime4.csv", is_training, frames)
}
