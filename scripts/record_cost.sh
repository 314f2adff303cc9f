#!/usr/bin/env bash
# Measures device profiles on a GPU, and compares predicted with recorded epochs.
#
# usage: scripts/record_cost.sh PADWISE NAME
#
# Writes results/cost-model/NAME.json (a profile of the papers' model), and NAME.md (predicted and measured epochs, each record with
# a profile of its own model). Records on real speech need the packs that scripts/record_gpu.sh names, and are left out without them.
set -euo pipefail
cd "$(dirname "$0")/.."

padwise=$1
name=$2
out=results/cost-model
mkdir -p "$out"

# The records clip gradients, so the profile does.
"$padwise" bench cost configs/doetsch-table2.toml --set 'train.backend="cuda"' --set train.clip-norm=1.0 --out "$out/$name.json"

records=(doetsch-table2-chime4 doetsch-table1-chime4 ge-table2-ljspeech anderson-smart-h200 khomenko-buckets-h200)
speech=(
    doetsch-table2-librispeech doetsch-table2-librispeech-again doetsch-table1-librispeech ge-table2-librispeech
    twelve-epochs-librispeech dynamic-sizes-rate-0.002 dynamic-sizes-rate-0.004 last-utterances last-utterances-whole-batches
    librispeech-ctc librispeech-ctc-first-epochs
)
if [ -e datasets/librispeech-dev-clean-a.pack ] && [ -e datasets/librispeech-dev-clean-b.pack ]; then
    records+=("${speech[@]}")
else
    echo "left out: ${speech[*]}; the packs of LibriSpeech are missing"
fi
words=(doetsch-table2-words doetsch-table1-words words-phones words-thirds words-tied)
if [ -e datasets/librispeech-test-clean-a.pack ] && [ -e datasets/librispeech-test-clean-b.pack ]; then
    records+=("${words[@]}")
else
    echo "left out: ${words[*]}; the packs of their test set are missing"
fi
"$padwise" bench cost --check "${records[@]/#/results/}" --backend cuda --format markdown >"$out/$name.md"
cat "$out/$name.md"
