#!/usr/bin/env bash
# Runs the model's checks on CUDA: the same bodies that run on the CPU and through wgpu, at tf32's tolerance.
# With --build-only it builds the test program and prints its path, to be carried to a machine with a GPU and run there with
# --test-threads=1.
set -euo pipefail
cd "$(dirname "$0")/.."

command=(cargo test -p padwise-model --features cuda --test cuda --locked)
if [ "${1:-}" = --build-only ]; then
    "${command[@]}" --no-run --message-format=json |
        python3 -c 'import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable"):
        print(message["executable"])'
else
    # One test at a time: a persistent kernel needs the whole device to itself.
    "${command[@]}" -- --test-threads=1
fi
