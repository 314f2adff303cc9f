#!/usr/bin/env bash
# Records the statistics of every strategy on the length profiles of three corpora, and updates the tables in README.md.
#
# usage: scripts/record_length_statistics.sh [LENGTHS_DIR]
#
# Writes results/length-statistics/PROFILE.{csv,md} and results/figures/. With LENGTHS_DIR, which contains the real
# ljspeech.csv, also results/ge-table1/. Tests compare these files and README.md with the program's output.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet -p padwise
padwise=${CARGO_TARGET_DIR:-target}/release/padwise

# Removes the last two columns, mean and deviation of the planning time, which depend on the machine.
without_planning() {
    sed 's/,[^,]*,[^,]*$//'
}

statistics=results/length-statistics
mkdir -p "$statistics"
for profile in ljspeech chime4 librispeech; do
    "$padwise" analyze --profile "$profile" --format csv | without_planning >"$statistics/$profile.csv"
    "$padwise" analyze --profile "$profile" --format markdown >"$statistics/$profile.md"
done
"$padwise" figure all --out results/figures

if [ $# -gt 0 ]; then
    mkdir -p results/ge-table1
    ge=(analyze "$1/ljspeech.csv" --where split=train)
    for strategy in random sorted semi-sorted:lrf=0.1 bucketed:count=1024 alternated:bins=58 \
        random,dynamic=16 semi-sorted:lrf=0.1,dynamic=16 sorted,dynamic=16 \
        random,dynamic-overshoot=16 semi-sorted:lrf=0.1,dynamic-overshoot=16 sorted,dynamic-overshoot=16; do
        ge+=(--strategy "$strategy")
    done
    "$padwise" "${ge[@]}" --format csv | without_planning >results/ge-table1/table.csv
    "$padwise" "${ge[@]}" --format markdown >results/ge-table1/table.md
fi
"$padwise" report --splice README.md
