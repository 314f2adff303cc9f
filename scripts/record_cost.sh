#!/usr/bin/env bash
# Measures device profiles on a GPU, and compares predicted with recorded epochs.
#
# usage: scripts/record_cost.sh PADWISE NAME
#
# Writes results/cost-model/NAME.json and NAME-ctc.json (profiles), and NAME.md (predicted and measured epochs). Records on real
# speech need the packs that scripts/record_gpu.sh names, and are left out without them.
set -euo pipefail
cd "$(dirname "$0")/.."

padwise=$1
name=$2
out=results/cost-model
mkdir -p "$out"

# measure PROFILE CONFIG
measure() {
    echo "== $1"
    "$padwise" bench cost "configs/$2.toml" --set 'train.backend="cuda"' --out "$out/$1.json"
}

measure "$name" doetsch-table2
measure "$name-ctc" khomenko-buckets

synthetic=(doetsch-table1-chime4 doetsch-table2-chime4 ge-table2-ljspeech anderson-smart-h200)
speech=(doetsch-table1-librispeech doetsch-table2-librispeech ge-table2-librispeech twelve-epochs-librispeech)
records=("${synthetic[@]}")
if [ -e datasets/librispeech-dev-clean-a.pack ] && [ -e datasets/librispeech-dev-clean-b.pack ]; then
    records+=("${speech[@]}")
else
    echo "left out: ${speech[*]}; the packs of LibriSpeech are missing"
fi
{
    "$padwise" bench cost --profile "$out/$name.json" --check "${records[@]/#/results/}" --format markdown
    echo
    "$padwise" bench cost --profile "$out/$name-ctc.json" --check results/khomenko-buckets-h200 --format markdown
} >"$out/$name.md"
cat "$out/$name.md"
