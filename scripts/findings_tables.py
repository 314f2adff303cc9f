#!/usr/bin/env python3
"""The tables of docs/findings.md that compare rows of one record in ways that `padwise report` does not.

    scripts/findings_tables.py RECORD OUT    # results/ge-table2-librispeech results/findings
"""
import csv
import sys
from pathlib import Path
from statistics import mean

PAIRS = [("SB", "SB-BR"), ("SSB", "SSB-BR"), ("SSB-DBS", "SSB-DBS-BR")]
STEPS = ["RAND", "SSB-BR", "SSB-DBS-BR"]


def read(record):
    """The epochs of every run: strategy, then seed."""
    runs = {}
    with open(record / "epochs.csv", newline="") as file:
        for row in csv.DictReader(file):
            runs.setdefault(row["strategy"], {}).setdefault(row["seed"], []).append(row)
    return runs


def shuffled_batches(runs):
    """What it does to the loss that batches come in random order, epoch by epoch."""
    epochs = len(next(iter(runs[PAIRS[0][0]].values())))
    yield "| in order | shuffled | " + " | ".join(f"epoch {epoch + 1}" for epoch in range(epochs)) + " | lowest and highest of the last, by seed |"
    yield "| --- " * (epochs + 3) + "|"
    for ordered, shuffled in PAIRS:
        differences = [
            [float(b["validation_loss"]) - float(a["validation_loss"]) for a, b in zip(runs[ordered][seed], runs[shuffled][seed])]
            for seed in runs[ordered]
        ]
        means = " | ".join(f"{mean(column):+.3f}" for column in zip(*differences))
        last = [by_epoch[-1] for by_epoch in differences]
        yield f"| {ordered} | {shuffled} | {means} | {min(last):+.3f}, {max(last):+.3f} |"


def steps(runs):
    """Loss by the number of steps so far."""
    epochs = len(next(iter(runs[STEPS[0]].values())))
    yield "| strategy | " + " | ".join(f"epoch {epoch + 1}" for epoch in range(epochs)) + " |"
    yield "| --- " * (epochs + 1) + "|"
    for strategy in STEPS:
        cells = []
        for epoch in range(epochs):
            so_far = mean(sum(int(row["batches"]) for row in run[: epoch + 1]) for run in runs[strategy].values())
            loss = mean(float(run[epoch]["validation_loss"]) for run in runs[strategy].values())
            cells.append(f"{loss:.3f} ({so_far:.0f})")
        yield f"| {strategy} | " + " | ".join(cells) + " |"


def main():
    runs, out = read(Path(sys.argv[1])), Path(sys.argv[2])
    out.mkdir(exist_ok=True)
    for name, table in [("shuffled-batches", shuffled_batches(runs)), ("steps", steps(runs))]:
        (out / f"{name}.md").write_text("\n".join(table) + "\n")


if __name__ == "__main__":
    main()
