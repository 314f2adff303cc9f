//! Benchmarks of feature extraction (one second of noise per preset), FLAC decoding and resampling.
//!
//! `scripts/bench_front_end.sh` compares the front ends with kaldi-native-fbank on real speech.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use padwise_features::audio::{DecodeOptions, Waveform, decode_bytes, resample};
use padwise_features::front_end::{FrontEnd, PRESETS};

const RATE: u32 = 16_000;

fn noise() -> Vec<f32> {
    let mut state = 1u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as f32 / 65_536.0 - 0.5
    };
    (0..RATE).map(next).collect()
}

fn features(c: &mut Criterion) {
    let second = Waveform {
        samples: noise(),
        rate: RATE,
    };
    let mut group = c.benchmark_group("features of a second");
    for preset in PRESETS {
        let front_end: FrontEnd = preset.parse().expect("a preset");
        let mut extractor = front_end.extractor().expect("legal");
        let frames = extractor.frames(second.samples.len());
        group.throughput(Throughput::Elements(frames as u64));
        group.bench_function(*preset, |b| {
            b.iter(|| extractor.extract(black_box(&second)));
        });
    }
    group.finish();
}

fn audio(c: &mut Criterion) {
    let mut group = c.benchmark_group("audio");
    let flac = include_bytes!("../tests/golden/front_end/chirp16k.flac");
    group.throughput(Throughput::Elements(8000));
    group.bench_function("decode half a second of FLAC", |b| {
        b.iter(|| decode_bytes(black_box(flac), "chirp", &DecodeOptions::default()));
    });
    let waveform = Waveform {
        samples: noise(),
        rate: 44_100,
    };
    group.throughput(Throughput::Elements(u64::from(RATE)));
    group.bench_function("resample from 44.1 to 16 kHz", |b| {
        b.iter(|| resample(black_box(waveform.clone()), RATE));
    });
    group.finish();
}

criterion_group!(benches, features, audio);
criterion_main!(benches);
