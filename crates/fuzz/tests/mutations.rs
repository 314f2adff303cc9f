//! Runs every target on its seeds and on a fixed number of mutations.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use padwise_fuzz::guard::memory;
use padwise_fuzz::mutate::Mutator;
use padwise_fuzz::{Target, guard, seeds, targets};

#[global_allocator]
static ALLOCATOR: memory::Allocator = memory::Allocator;

/// Runs a target and returns one line for each kind of failure.
fn failures(target: &'static Target) -> Vec<String> {
    let seeds = seeds::of(target).expect("the seeds of the target");
    assert!(!seeds.is_empty(), "{} has no seeds", target.name);
    let mut found = BTreeMap::new();
    let mut run = |input: &[u8], name: &str| {
        if let Err(failure) = guard::run(target, input) {
            let (path, _) = guard::save(target, input, &failure);
            found.entry(path).or_insert(format!("{name} {failure}"));
        }
    };
    for (name, seed) in &seeds {
        run(seed, name);
    }
    // The others are slow to read.
    let seeds = seeds.into_iter().map(|(_, seed)| seed);
    let seeds: Vec<Vec<u8>> = seeds.filter(|seed| seed.len() < 8192).collect();
    let mut mutator = Mutator::new(target, 1);
    for number in 0..target.mutations {
        run(&mutator.next(&seeds), &format!("mutation {number}"));
    }
    let line = |(path, text): (std::path::PathBuf, String)| {
        format!("{}: {text}: {}", target.name, path.display())
    };
    found.into_iter().map(line).collect()
}

#[test]
fn readers_survive_mutated_files() {
    guard::save_failures_in(Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz-failures"));
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        for _ in 0..threads.min(4) {
            scope.spawn(|| {
                while let Some(target) = targets::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = std::time::Instant::now();
                    let found = failures(target);
                    println!("{}: {:.1} s", target.name, start.elapsed().as_secs_f64());
                    all.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    let all = all.into_inner().expect("no panic");
    assert!(
        all.is_empty(),
        "{} failures:\n{}",
        all.len(),
        all.join("\n")
    );
}
