//! Searches for failing inputs of one target by code coverage. `scripts/fuzz.sh` builds and runs it.
//!
//! `PADWISE_FUZZ_TARGET` names the target and `PADWISE_FUZZ_FAILURES` the folder for failing inputs. The arguments are
//! libFuzzer's.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use padwise_fuzz::guard::memory;
use padwise_fuzz::mutate::Mutator;
use padwise_fuzz::{Target, guard};

#[global_allocator]
static ALLOCATOR: memory::Allocator = memory::Allocator;

static TARGET: LazyLock<&'static Target> = LazyLock::new(|| {
    if let Some(folder) = std::env::var_os("PADWISE_FUZZ_FAILURES") {
        guard::save_failures_in(folder);
    }
    let name = std::env::var("PADWISE_FUZZ_TARGET").unwrap_or_default();
    Target::named(&name).unwrap_or_else(|| {
        eprintln!("PADWISE_FUZZ_TARGET={name} is not a target; the targets are:");
        for target in padwise_fuzz::targets::ALL {
            eprintln!("{}", target.name);
        }
        std::process::exit(2)
    })
});

fuzz_target!(init: LazyLock::force(&TARGET), |input: &[u8]| {
    // The search goes on after a failure, so that one run finds several.
    if let Err(failure) = guard::run(*TARGET, input) {
        let (path, is_new) = guard::save(*TARGET, input, &failure);
        if is_new {
            eprintln!("FAILURE {} {failure}: {}", TARGET.name, path.display());
        }
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut mutator = Mutator::new(*TARGET, seed.into());
    let mut size = size;
    if seed.is_multiple_of(4) {
        let mut bytes = data[..size].to_vec();
        mutator.change(&mut bytes, &[]);
        size = bytes.len().min(max_size);
        data[..size].copy_from_slice(&bytes[..size]);
    } else {
        size = fuzzer_mutate(data, size, max_size);
    }
    mutator.repair_half(&mut data[..size]);
    size
});
