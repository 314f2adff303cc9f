#!/usr/bin/env python3
"""Predicts what batching gains on the lengths of many corpora, and writes results/corpora/table.md.

usage: record_corpora.py PADWISE FOLDER

FOLDER has one file of lengths per row of results/corpora/corpora.csv, with the columns `id` and `frames` (of 10 ms). Nothing is trained:
padding is counted, and times come from the built-in profile of an H200.
"""
import csv
import json
import pathlib
import statistics
import subprocess
import sys

RECORD = pathlib.Path(__file__).resolve().parent.parent / "results" / "corpora"
SEMI_SORTED = "semi-sorted:lrf=0.1,batch=16"
COLUMNS = {
    "corpus": "---", "language": "---", "speech": "---", "utterances": "---:", "hours": "---:", "median s": "---:", "longest s": "---:",
    "variation": "---:", "padding %, random": "---:", "padding %, semi-sorted": "---:", "sorted": "---:", "semi-sorted": "---:",
    "dynamic sizes": "---:", "recommended": "---", "its speed-up": "---:",
}


def row(padwise, described, path):
    """One row of the table: the corpus, its lengths, padding and predicted speed-ups."""
    with open(path, encoding="utf-8", newline="") as file:
        seconds = [int(line["frames"]) / 100 for line in csv.DictReader(file)]
    command = [padwise, "recommend", path, "--device", "h200", "--all", "--format", "json"]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    predictions = {prediction["strategy"]: prediction for prediction in found["predictions"]}
    dynamic = next(name for name in predictions if ",dynamic=" in name)
    padding = lambda name: f"{100 * predictions[name]['padding']:.1f}"
    speed_up = lambda name: f"{predictions[name]['speed_up']:.2f}"
    return [
        described["corpus"], described["language"], described["speech"], f"{len(seconds):,}", f"{sum(seconds) / 3600:.1f}",
        f"{statistics.median(seconds):.1f}", f"{max(seconds):.1f}", f"{statistics.pstdev(seconds) / statistics.mean(seconds):.2f}",
        padding("random,batch=16"), padding(SEMI_SORTED), speed_up("sorted,batch=16"), speed_up(SEMI_SORTED), speed_up(dynamic),
        f"`{found['advice']['line']}`", speed_up(found["advice"]["line"]),
    ]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    padwise, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    with open(RECORD / "corpora.csv", encoding="utf-8", newline="") as file:
        described = list(csv.DictReader(file))
    rows = [row(padwise, corpus, folder / corpus["file"]) for corpus in described]
    rows.sort(key=lambda cells: float(cells[list(COLUMNS).index("variation")]))
    lines = [list(COLUMNS), list(COLUMNS.values()), *rows]
    (RECORD / "table.md").write_text("".join(f"| {' | '.join(cells)} |\n" for cells in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
