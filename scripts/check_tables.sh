#!/usr/bin/env bash
# Makes again, from their records, the tables under results/ that scripts make, and fails where one differs from what is there.
set -euo pipefail
cd "$(dirname "$0")/.."

again=$(mktemp -d)
trap 'rm -r "$again"' EXIT
cp -r results "$again"
for record in "$again"/results/step-speed/*.jsonl; do
    scripts/bench_step.py --table-only --out "${record%.jsonl}" >/dev/null
done
for peer in "$again"/results/peer/*.csv; do
    scripts/peer_table.py "$peer" "$again/results/$(basename "$peer" .csv)" >/dev/null
done
scripts/step_cost.py results/{doetsch-table2-librispeech,ge-table2-librispeech,doetsch-table2-chime4,ge-table2-ljspeech} \
    >"$again/results/step-speed/step-cost.md"
scripts/findings_tables.py results "$again/results/findings"
if ! diff -r results "$again/results"; then
    echo "tables under results/ differ from their records: make them again with scripts/bench_step.py --table-only, scripts/peer_table.py, scripts/step_cost.py and scripts/findings_tables.py" >&2
    exit 1
fi
