#!/usr/bin/env bash
# Runs the model's tests on CUDA. They are the tests of the CPU and wgpu backends, at TF32 tolerance, plus one that a launch with a
# missing block ends.
#
# usage: scripts/check_cuda.sh [--build-only]
#
# --build-only builds the two test programs and prints their paths. Copy them to a machine with a GPU and run the first with
# --test-threads=1, the second with --ignored.
set -euo pipefail
cd "$(dirname "$0")/.."

build() {
    # Optimised, because most of the time goes into the reference, which runs on the CPU.
    cargo test --release -p padwise-model --features cuda --locked --no-run --message-format=json "$@" |
        python3 -c 'import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable"):
        print(message["executable"])'
}

checks=$(build --test cuda)
library=$(build --lib)
if [ "${1:-}" = --build-only ]; then
    printf '%s\n' "$checks" "$library"
else
    # One test at a time: a persistent kernel needs the whole device.
    (cd crates/acoustic-model && "$checks" --test-threads=1)
    # In a separate process: the test leaves the device unusable for its process.
    timeout 120 "$library" --ignored a_launch_with_a_block_missing_ends
fi
