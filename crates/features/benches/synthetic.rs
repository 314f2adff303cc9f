//! Benchmarks of the synthetic corpus.
//!
//! `cargo bench -p padwise-features --bench synthetic` times the lengths of 100,000 utterances, and single utterances of
//! each profile on one core. It then prints the utterances and frames per second of two cores.
#![allow(missing_docs, reason = "criterion's macros make public items")]

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use padwise_features::{Synthetic, SyntheticConfig};
use padwise_sampler::Profile;

const THREADS: usize = 2;
/// Utterances per thread for the printed figures.
const EACH: usize = 5_000;

fn corpus(profile: Profile) -> Synthetic {
    let config = SyntheticConfig {
        utterances: 100_000,
        profile,
        ..SyntheticConfig::default()
    };
    Synthetic::new(config).expect("a legal config")
}

fn generation(c: &mut Criterion) {
    c.bench_function("tables", |b| b.iter(|| corpus(Profile::LibriSpeech)));
    c.bench_function("lengths of 100,000", |b| {
        let corpus = corpus(Profile::LibriSpeech);
        b.iter(|| corpus.lengths());
    });
    let mut group = c.benchmark_group("16 utterances");
    for profile in Profile::ALL {
        let corpus = corpus(profile);
        let frames: u32 = corpus.lengths().iter().take(16).sum();
        group.throughput(Throughput::Elements(u64::from(frames)));
        group.bench_function(profile.name(), |b| {
            b.iter(|| (0..16).for_each(|i| drop(black_box(corpus.generate(i)))));
        });
    }
    group.finish();
    Profile::ALL.into_iter().for_each(print_rates);
}

/// Throughput of a loader with two threads that reuse their buffers.
fn print_rates(profile: Profile) {
    let corpus = corpus(profile);
    let lengths = corpus.lengths();
    let dims = corpus.dims();
    let longest = lengths.iter().max().map_or(0, |&l| l as usize);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (corpus, lengths) = (&corpus, &lengths);
            scope.spawn(move || {
                let (mut features, mut labels) = (vec![0.0; longest * dims], vec![0; longest]);
                for index in (thread..THREADS * EACH).step_by(THREADS) {
                    let frames = lengths[index] as usize;
                    let read = corpus.read_into(
                        index,
                        &mut features[..frames * dims],
                        &mut labels[..frames],
                    );
                    read.expect("room for the utterance");
                    black_box(&features);
                }
            });
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    let frames: u32 = lengths.iter().take(THREADS * EACH).sum();
    println!(
        "{profile}: {:.0} utterances/s, {:.2} million frames/s on {THREADS} threads",
        (THREADS * EACH) as f64 / seconds,
        f64::from(frames) / seconds / 1e6,
    );
}

criterion_group!(benches, generation);
criterion_main!(benches);
