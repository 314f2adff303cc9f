#!/usr/bin/env bash
# Runs the model's checks on CUDA: the same bodies that run on the CPU and through wgpu, at tf32's tolerance, and that a launch which
# lacks a block ends. With --build-only it builds the two test programs and prints their paths, to be carried to a
# machine with a GPU and run there: the first with --test-threads=1, the second with --ignored.
set -euo pipefail
cd "$(dirname "$0")/.."

build() {
    cargo test -p padwise-model --features cuda --locked --no-run --message-format=json "$@" |
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
    # One test at a time: a persistent kernel needs the whole device to itself.
    (cd crates/acoustic-model && "$checks" --test-threads=1)
    # In a process of its own, since it leaves the device unusable for its process.
    timeout 120 "$library" --ignored a_launch_with_a_block_missing_ends
fi
