#!/usr/bin/env bash
# Runs the tests of CPU kernels and packs under Miri, which detects undefined behaviour. Takes a few minutes.
# Needs a nightly toolchain: rustup toolchain install nightly --component miri,rust-src
set -euo pipefail
cd "$(dirname "$0")/.."

# Packs are files, so isolation is off. rayon's queues need tree borrows and integers as pointers, and its threads outlive
# the tests.
export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-tree-borrows -Zmiri-permissive-provenance -Zmiri-ignore-leaks"
# Idle threads are slow under Miri. A test of the recurrence makes its own threads, so data races are still detected.
export RAYON_NUM_THREADS=1
# insta would run cargo to find this folder, and Miri starts no processes.
export INSTA_WORKSPACE_ROOT="$PWD"

cargo +nightly miri test -p padwise-cpu-kernels --lib --locked
cargo +nightly miri test -p padwise-features --test it --locked -- pack::
cargo +nightly miri test -p padwise-features --test it --locked -- pack_resume::
