#!/usr/bin/env bash
# Fuzzes the readers of padwise with libFuzzer: `scripts/fuzz.sh HOURS [TARGET...]`, by default all targets.
#
# Needs stable Rust and a C++ compiler. The targets share the time, two processes at once or JOBS. The corpus grows in
# target/fuzz-corpus and is used again by the next run. Failing inputs are listed at the end and kept in
# target/fuzz-failures; then the exit code is 1.
set -euo pipefail
cd "$(dirname "$0")/.."

usage="usage: scripts/fuzz.sh HOURS [TARGET...]"
hours=${1:?$usage}
shift
if ! [[ $hours =~ ^[0-9]*\.?[0-9]+$ ]]; then
    echo "$usage" >&2
    exit 2
fi

output=${CARGO_TARGET_DIR:-target}
mkdir -p "$output"
output=$(cd "$output" && pwd)
host=$(rustc -vV | sed -n 's/^host: //p')
# Coverage counters and comparisons for libFuzzer, and Rust's checks of overflow. Naming the host keeps build scripts as
# they are.
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
flags+=" -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=16"
flags+=" -Cdebug-assertions=on -Coverflow-checks=on"
RUSTFLAGS=$flags cargo build --release --locked --target "$host" --target-dir "$output" \
    -p padwise-fuzz --features libfuzzer --bin libfuzzer
fuzzer=$output/$host/release/libfuzzer

targets=("$@")
if [ ${#targets[@]} = 0 ]; then
    for folder in crates/fuzz/seeds/*/; do
        targets+=("$(basename "$folder")")
    done
fi

corpus=$output/fuzz-corpus
failures=$output/fuzz-failures
logs=$output/fuzz-logs
mkdir -p "$corpus" "$failures" "$logs"
for target in "${targets[@]}"; do
    if [ ! -d "crates/fuzz/seeds/$target" ]; then
        echo "no target $target: the targets are the folders in crates/fuzz/seeds" >&2
        exit 2
    fi
done
jobs=${JOBS:-2}
seconds=$(awk -v hours="$hours" -v jobs="$jobs" -v count=${#targets[@]} \
    'BEGIN { each = int(hours * 3600 * jobs / count); print (each > 0 ? each : 1) }')

# Temporary files in memory: libFuzzer does not remove them when it ends.
if [ -d /dev/shm ]; then
    TMPDIR=$(mktemp -d /dev/shm/padwise-fuzz.XXXXXX)
else
    TMPDIR=$(mktemp -d)
fi
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

# Fuzzes one target. After a crash or a timeout, starts again with the time left.
fuzz() {
    local target=$1 end now
    mkdir -p "$corpus/$target"
    end=$(($(date +%s) + seconds))
    : >"$logs/$target.log"
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        now=$(date +%s)
        if [ "$now" -ge "$end" ]; then
            break
        fi
        if PADWISE_FUZZ_TARGET=$target PADWISE_FUZZ_FAILURES=$failures RAYON_NUM_THREADS=1 "$fuzzer" \
            "$corpus/$target" "crates/fuzz/seeds/$target" -max_total_time=$((end - now)) -timeout=10 -rss_limit_mb=4096 \
            -max_len=65536 -len_control=20 -print_final_stats=1 -verbosity=1 \
            -artifact_prefix="$failures/$target-" >>"$logs/$target.log" 2>&1; then
            break
        fi
    done
    echo "$target: $(inputs "$target") inputs, $((($(inputs "$target") + 1) / seconds)) per second"
}

# The number of inputs that a target has run.
inputs() {
    awk '/stat::number_of_executed_units/ { sum += $2 } END { print sum + 0 }' "$logs/$1.log"
}

echo "fuzzing ${#targets[@]} targets for $seconds s each, $jobs at a time"
for target in "${targets[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n || true
    done
    fuzz "$target" &
done
wait

total=0
for target in "${targets[@]}"; do
    total=$((total + $(inputs "$target")))
done
echo "$total inputs in total"

found=("$failures"/*)
if [ -e "${found[0]}" ]; then
    echo "failing inputs:"
    printf '%s\n' "${found[@]}"
    grep -h '^FAILURE' "$logs"/*.log | sort -u || true
    exit 1
fi
echo "no failures"
