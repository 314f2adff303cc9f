//! Benchmarks of reading a pack in random order from the page cache, and of importing a corpus.
//!
//! Throughput counts bytes of f32 features, for any number format of the pack.

use std::path::PathBuf;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use padwise_features::Matrix;
use padwise_features::corpus::Corpus;
use padwise_features::normalisation::{Normalisation, Normalised};
use padwise_features::pack::{Dtype, Pack, PackWriter, Setup, Utterance};
use padwise_features::prepare::{PackOptions, pack_corpus};
use padwise_features::raw::RawCorpus;
use tempfile::TempDir;

const DIMS: usize = 40;
const UTTERANCES: usize = 400;

/// 400 utterances of 2 to 18 seconds: about 64 MB of f32, far more than the L2 cache.
fn corpus(folder: &TempDir, dtype: Dtype) -> Pack {
    let setup = Setup {
        dims: DIMS as u32,
        dtype,
        class_names: Some((0..41).map(|class| class.to_string()).collect()),
        targets: None,
        front_end: serde_json::Value::Null,
    };
    let utterances = (0..UTTERANCES)
        .map(|n| Utterance {
            id: n.to_string(),
            ..Utterance::default()
        })
        .collect();
    let path = folder.path().join(format!("{dtype:?}.pack"));
    let mut writer = PackWriter::create(path, setup, utterances).expect("a new pack");
    for n in 0..UTTERANCES {
        let frames = 200 + (n * 7919) % 1600;
        let numbers = (0..frames * DIMS).map(|i| ((i * 31 + n) % 997) as f32 * 0.01);
        let features = Matrix::from_rows(DIMS, numbers.collect());
        let labels: Vec<i32> = (0..frames).map(|t| (t % 41) as i32).collect();
        writer.append(&features, &labels).expect("room on the disk");
    }
    writer.finish().expect("a whole pack")
}

fn reading(c: &mut Criterion) {
    let folder = TempDir::new().expect("a temporary folder");
    let mut group = c.benchmark_group("read_into, random order");
    for (name, dtype, normalised) in [
        ("f32", Dtype::F32, false),
        ("f16", Dtype::F16, false),
        ("f32, normalised", Dtype::F32, true),
    ] {
        let pack: Box<dyn Corpus> = if normalised {
            let pack = Pack::open(folder.path().join("F32.pack")).expect("written above");
            let all: Vec<usize> = (0..pack.len()).collect();
            Box::new(Normalised::fit(pack, Normalisation::Global, &all).expect("readable"))
        } else {
            Box::new(corpus(&folder, dtype))
        };
        let frames: usize = pack.lengths().iter().map(|&n| n as usize).sum();
        let longest = pack.lengths().iter().copied().max().unwrap_or(0) as usize;
        let mut features = vec![0.0; longest * DIMS];
        let mut labels = vec![0; longest];
        group.throughput(Throughput::Bytes((frames * DIMS * 4) as u64));
        group.bench_function(name, |b| {
            b.iter(|| {
                for n in 0..UTTERANCES {
                    // 173 and 400 are coprime: every utterance is read once, in scattered order.
                    let utterance = (n * 173) % UTTERANCES;
                    let frames = pack.lengths()[utterance] as usize;
                    pack.read_into(
                        utterance,
                        0,
                        &mut features[..frames * DIMS],
                        &mut labels[..frames],
                    )
                    .expect("a whole pack");
                }
            });
        });
    }
    group.finish();
    let mut group = c.benchmark_group("whole file");
    let path = folder.path().join("F32.pack");
    let pack = Pack::open(&path).expect("written above");
    group.bench_function("open", |b| b.iter(|| Pack::open(&path).expect("whole")));
    group.throughput(Throughput::Bytes(
        path.metadata().map(|file| file.len()).unwrap_or(0),
    ));
    group.bench_function("verify", |b| b.iter(|| pack.verify().expect("whole")));
    group.finish();
}

/// Needs the shared data, and is skipped without it.
fn importing(c: &mut Criterion) {
    let shared = std::env::var_os("PADWISE_DATA")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    let archive = shared.join("librispeech/dev-clean-a.tar.xz");
    if !archive.exists() {
        eprintln!("SKIPPED importing: no {}", archive.display());
        return;
    }
    let folder = TempDir::new().expect("a temporary folder");
    let mut group = c.benchmark_group("real features");
    group.sample_size(10);
    group.bench_function("open the .tar.xz", |b| {
        b.iter(|| RawCorpus::open(&archive).expect("a raw corpus"));
    });
    let raw = RawCorpus::open(&archive).expect("a raw corpus");
    group.bench_function("pack as f16", |b| {
        b.iter(|| {
            let path = folder.path().join("x.pack");
            let front_end = serde_json::Value::Null;
            pack_corpus(
                &raw,
                &path,
                front_end,
                None,
                &PackOptions::default(),
                |_| (),
            )
            .expect("room on the disk");
            std::fs::remove_file(path).expect("just written");
        });
    });
    group.finish();
}

criterion_group!(benches, reading, importing);
criterion_main!(benches);
