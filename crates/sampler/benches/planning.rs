//! The time to plan ten million lengths, compared with sorting as many (u32, u32) pairs.
//!
//! `cargo bench -p padwise-sampler` prints each order's time as a multiple of the sort's time in the same run. Criterion
//! records the times.
#![allow(missing_docs, reason = "criterion's macros generate public items")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use padwise_sampler::{Profile, Sampler, optimal_boundaries};

const ITEMS: usize = 10_000_000;

fn sampler(line: &str) -> Sampler {
    Sampler::new(line.parse().expect("a strategy"), 0).expect("a legal strategy")
}

fn pairs(lengths: &[u32]) -> Vec<(u32, u32)> {
    lengths.iter().copied().zip(0..).collect()
}

fn plans(c: &mut Criterion) {
    let lengths = Profile::LibriSpeech.lengths(ITEMS);
    let mut group = c.benchmark_group("ten million lengths");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(10));
    group.bench_function("sort of pairs", |b| {
        b.iter_batched_ref(
            || pairs(&lengths),
            |pairs| pairs.sort_unstable(),
            BatchSize::PerIteration,
        );
    });
    for line in [
        "random",
        "sorted",
        "alternated:bins=64",
        "semi-sorted:lrf=0.1",
        "bucketed:optimal=64",
        "smart",
    ] {
        let sampler = sampler(line);
        group.bench_function(line, |b| {
            b.iter_with_large_drop(|| sampler.plan(&lengths, 0).expect("a plan"));
        });
    }
    group.finish();
    print_ratios(&lengths);
}

/// Prints planning time divided by sorting time. The two alternate, so other load on the machine affects both.
fn print_ratios(lengths: &[u32]) {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    for line in ["sorted", "alternated:bins=64", "semi-sorted:lrf=0.1"] {
        let sampler = sampler(line);
        let mut ratios: Vec<f64> = (0..5)
            .map(|epoch| {
                let mut pairs = pairs(lengths);
                let sort = time(&mut || pairs.sort_unstable());
                black_box(&pairs);
                let plan = time(&mut || {
                    black_box(sampler.plan(lengths, epoch).expect("a plan"));
                });
                plan / sort
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        println!("{line}: {:.2} times the sort (median of 5)", ratios[2]);
    }
}

fn optimal(c: &mut Criterion) {
    let histogram: Vec<(u32, u64)> = (1..=100_000)
        .map(|length| (length, 1 + u64::from(length * 2_654_435 % 997)))
        .collect();
    let mut group = c.benchmark_group("optimal buckets");
    group.sample_size(10);
    group.bench_function("64 over 100,000 distinct lengths", |b| {
        b.iter(|| optimal_boundaries(black_box(&histogram), 64));
    });
    group.finish();
}

criterion_group!(benches, plans, optimal);
criterion_main!(benches);
